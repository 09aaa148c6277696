import type { ObjectKey } from "../kubernetes/objects/objects.ts";
import { isListed, isWanted } from "../model/decision.ts";
import { liveKind, liveMirrors, metaOf, originOf } from "../model/live-mirrors.ts";
import { kinds, type LiveMirror, type MirrorKind } from "../model/mirror.ts";
import { mirrorsOf } from "../model/owner.ts";
import { mirrorsBefore } from "../model/state.ts";
import type { PlannedOutcome } from "./report/outcome.ts";

type ByTarget = ReadonlyMap<string, ReadonlySet<ObjectKey>>;

/**
 * Holds the exported Services of which a source still has mirrors behind the gateway after this run, as far as this process
 * has decided.
 */
export class MirrorsLeft {
  readonly #sources = new Map<string, ByTarget>();

  add({ source, memory, decided: { decisions, refusals } }: PlannedOutcome): void {
    const left = new Map<string, Set<ObjectKey>>();
    const add = (target: string, kind: MirrorKind, origin: ObjectKey | undefined) => {
      if (origin === undefined || !kinds[kind].isThroughGateway) return;
      left.set(target, (left.get(target) ?? new Set()).add(origin));
    };
    // Anybody in the source can forge a mirror, or hold one with a finalizer, and would keep access with it.
    const addHeld = (target: string, key: ObjectKey, live: LiveMirror) => {
      const isKnown = Object.hasOwn(mirrorsBefore(memory, target), key);
      if (isKnown && metaOf(live).deletionTimestamp === undefined)
        add(target, liveKind(live), originOf(key, live).service);
    };
    for (const decision of decisions) {
      if (!isListed(decision)) continue;
      const { part, key, kind, live } = decision;
      if (isWanted(decision)) add(part, kind, decision.wanted.origin);
      else addHeld(part, key, live);
    }
    for (const target of Object.keys(refusals))
      for (const [key, live] of liveMirrors(source, mirrorsOf(target))) addHeld(target, key, live);
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
