import { isDeepStrictEqual } from "node:util";
import type { Clusters } from "../mesh/clusters.ts";
import { carryOut } from "../mirroring/reconcile/carry-out.ts";
import { checkSource } from "../mirroring/reconcile/reconcile.ts";
import type { Outcome } from "../mirroring/report/outcome.ts";
import { removeAll } from "../mirroring/reconcile/removal.ts";
import {
  type Before,
  type Inputs,
  type MirrorsArgs,
  type Outputs,
  outputsOf,
} from "../mirroring/model/state.ts";
import { WantedHere } from "../mirroring/reconcile/wanted-here.ts";
import { unlessCancelled } from "./cancellation.ts";
import { awaitsUnknown, type Checked, PartialFailure, retried, unknownValue } from "./contract.ts";
import { clusters as ofThisProcess, isolatedHere } from "./process.ts";
import { UserError } from "../user-error.ts";

/**
 * What all resources of a process share: what it has read, and what it wants to be there. One
 * process serves one phase of one operation.
 */
export interface Process {
  readonly clusters: Clusters;
  readonly wanted: WantedHere;
  /** Pulumi shows each line that the provider prints as a message of the stack. */
  readonly say: (line: string) => void;
  readonly isolated: ReadonlySet<string>;
  readonly now: () => Date;
}

/** Everything that is mirrored into one source cluster; when each is called: docs/explanation/architecture.md. */
export class MirrorsProvider {
  readonly #process: Process;
  /** Sources of which the terminal has been told what their check found. */
  readonly #told = new Set<string>();
  /** By source: what this process has checked last. */
  readonly #checked = new Map<string, { readonly inputs: Inputs; readonly outcome: Outcome }>();

  constructor({
    clusters = ofThisProcess,
    wanted = new WantedHere(),
    say = print,
    isolated = isolatedHere,
    now = () => new Date(),
  }: Partial<Process> = {}) {
    this.#process = { clusters, wanted, say, isolated, now };
  }

  check(olds: Before, args: MirrorsArgs): Promise<Checked<Inputs>> {
    return unlessCancelled(this.#process.clusters, () => this.#check(olds, args));
  }

  async #check(olds: Before, args: MirrorsArgs): Promise<Checked<Inputs>> {
    const { observedGateways, ...known } = args;
    if (awaitsUnknown(known)) {
      const revision = (olds.revision ?? 0) + 1;
      return { inputs: { ...args, mirrors: unknownValue, revision }, failures: [] };
    }
    const { clusters, wanted, now } = this.#process;
    const { outcome, checked } = await checkSource(clusters, olds, args, now());
    if (outcome.outcome === "planned") wanted.add(outcome);
    else if (outcome.outcome === "sourceUnreadable")
      wanted.addUnread(olds.identities?.[args.source]);
    const { inputs, mistakes, notes } = checked;
    this.#checked.set(args.source, { inputs, outcome });
    // What is about to be replaced is checked once more, as if it were new.
    if (!this.#told.has(args.source)) notes.forEach(this.#process.say);
    this.#told.add(args.source);
    return { inputs, failures: mistakes.map((reason) => ({ property: "config", reason })) };
  }

  /** Looks only at what `check` found; refresh calls it with the arguments the other way round. */
  diff(_id: string, olds: Partial<Outputs>, news: Partial<Outputs>) {
    return Promise.resolve(olds.revision === news.revision ? { changes: false } : {});
  }

  async create(inputs: Inputs) {
    return { id: inputs.source, ...(await this.update(inputs.source, {}, inputs)) };
  }

  /** What `check` found to have changed since the run before is in the inputs. */
  async update(_id: string, _olds: unknown, inputs: Inputs) {
    const { clusters, wanted, say, now } = this.#process;
    const tell = (line: string) => {
      say(`${inputs.source}: ${line}`);
    };
    const last = this.#checked.get(inputs.source);
    this.#checked.delete(inputs.source);
    // The engine may hand over others, those of a saved plan, say.
    const outcome = isDeepStrictEqual(last?.inputs, inputs) ? last?.outcome : undefined;
    const reasons = await carryOut(clusters, wanted, inputs, tell, now(), outcome);
    if (reasons.length > 0) throw new PartialFailure(inputs.source, inputs, [...reasons, retried]);
    return { outs: outputsOf(inputs) };
  }

  /**
   * Says what state says: what there is, the next check finds, and it goes by what the last one has left. A
   * refresh has the outputs alone, which are older than that.
   */
  read(id: string, props?: Outputs) {
    return props === undefined
      ? Promise.reject(
          new UserError(
            `${id} cannot be imported: put its links into the stack's config and run pulumi up, which adopts the mirrors that exist`,
          ),
        )
      : Promise.resolve({ id, props });
  }

  async delete(_id: string, props: Outputs) {
    const { clusters, wanted, say, isolated, now } = this.#process;
    if (isolated.has(props.source)) {
      say(`${props.source}: it is revoked, so its mirrors are left as they are and forgotten`);
      return;
    }
    const failures = await removeAll(clusters, wanted, props, say, now());
    if (failures.length > 0)
      throw new UserError(`not all mirrors on ${props.source} are deleted: ${failures.join("; ")}`);
  }
}

export const mirrors = new MirrorsProvider();

/** One line, whoever calls it with more. */
function print(line: string): void {
  console.log(line);
}
