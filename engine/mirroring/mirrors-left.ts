import type { ObjectKey } from "../kubernetes/objects/objects.ts";
import { liveMirrors, originOf } from "../model/live-mirrors.ts";
import { mirrorsOf } from "../model/owner.ts";
import type { PlannedOutcome } from "./report/outcome.ts";

type ByTarget = ReadonlyMap<string, ReadonlySet<ObjectKey>>;

/** Holds the exported Services of which a source still has mirrors after this run, as far as this process has decided. */
export class MirrorsLeft {
  readonly #sources = new Map<string, ByTarget>();

  add({ source, decided: { decisions, refusals } }: PlannedOutcome): void {
    const left = new Map<string, Set<ObjectKey>>();
    const add = (target: string, origin: ObjectKey | undefined) => {
      if (origin === undefined) return;
      left.set(target, (left.get(target) ?? new Set()).add(origin));
    };
    for (const decision of decisions) {
      if (decision.verdict === "delete" || decision.verdict === "skip") continue;
      // Anybody in the source can write another stack's mark, and would keep access with it.
      if (decision.verdict === "handOver" && decision.keeper !== undefined) continue;
      const { part, key, live } = decision;
      const wanted = "wanted" in decision ? decision.wanted : undefined;
      add(part, wanted?.origin ?? originOf(key, live).service);
    }
    for (const target of Object.keys(refusals))
      for (const [key, live] of liveMirrors(source, mirrorsOf(target)))
        add(target, originOf(key, live).service);
    this.#sources.set(source.cluster, left);
  }

  forget(source: string): void {
    this.#sources.delete(source);
  }

  /** Returns undefined if nothing is decided about the source, all of whose mirrors may be there then. */
  of(source: string, target: string): ReadonlySet<ObjectKey> | undefined {
    const left = this.#sources.get(source);
    return left && (left.get(target) ?? new Set());
  }
}

/** All resources of a process share it: access to a closed gateway is taken once the mirrors of this run are gone. */
export const mirrorsLeft = new MirrorsLeft();
