import type { Clusters } from "../reading/clusters.ts";
import { carryOut, type CheckedRun } from "../mirroring/carry-out.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { checkSource } from "../mirroring/reconcile.ts";
import { whenSettled } from "../mirroring/settled.ts";
import { revisionAfter } from "../mirroring/report/inputs.ts";
import { removeAll } from "../mirroring/removal.ts";
import { type Declared, withWholeLinks } from "../model/declared.ts";
import { type Inputs, type MirrorsArgs, type Outputs, outputsOf } from "../model/state.ts";
import { KeysWantedInThisRun } from "../mirroring/keys-wanted.ts";
import { type MirrorsLeft, mirrorsLeft } from "../mirroring/mirrors-left.ts";
import {
  awaitsUnknown,
  type Checked,
  failuresOf,
  PartialFailure,
  retried,
  unknownValue,
} from "./contract.ts";
import { UserError } from "../base/user-error.ts";
import { clusters as ofThisProcess, revokedInThisRun, unlessCancelled } from "./process.ts";

type Stored = Partial<Declared<Inputs>>;

/** All resources of a process share it. */
export interface Process {
  readonly clusters: Clusters;
  readonly wanted: KeysWantedInThisRun;
  readonly left: MirrorsLeft;
  /** Pulumi shows each line that the provider prints as a message of the stack. */
  readonly say: (line: string) => void;
  readonly isolated: ReadonlySet<string>;
  readonly now: () => Date;
}

/** docs/explanation/architecture.md says when the engine calls each method. */
export class MirrorsProvider {
  readonly #process: Process;
  readonly #reported = new Set<string>();
  readonly #checked = new Map<string, CheckedRun>();

  constructor({
    clusters = ofThisProcess,
    wanted = new KeysWantedInThisRun(),
    left = mirrorsLeft,
    say = console.log,
    isolated = revokedInThisRun,
    now = () => new Date(),
  }: Partial<Process> = {}) {
    this.#process = { clusters, wanted, left, say, isolated, now };
  }

  check(olds: Stored, args: Declared<MirrorsArgs>): Promise<Checked<Declared<Inputs>>> {
    return unlessCancelled(this.#process.clusters, () => this.#check(olds, args));
  }

  async #check(olds: Stored, args: Declared<MirrorsArgs>): Promise<Checked<Declared<Inputs>>> {
    const { observedGateways, ...known } = args;
    if (awaitsUnknown(known)) {
      const inputs = { ...args, mirrors: unknownValue, ...revisionAfter(olds) };
      return { inputs, failures: [] };
    }
    const { clusters, wanted, left, say, now } = this.#process;
    left.forget(args.source);
    const before = withWholeLinks(olds);
    const whole = withWholeLinks(args);
    const decide = () => checkSource(clusters, before, whole, now());
    const { outcome, checked } = await whenSettled(clusters, whole, decide);
    if (outcome.outcome === "planned") {
      wanted.add(outcome);
      left.add(outcome);
    } else if (outcome.outcome === "sourceUnreadable")
      wanted.addUnread(olds.identities?.[args.source]);
    const { inputs, mistakes, notes } = checked;
    this.#checked.set(args.source, { inputs, outcome });
    // The engine checks a resource that it replaces a second time, as a new one.
    if (!this.#reported.has(args.source)) for (const note of notes) say(note);
    this.#reported.add(args.source);
    const { links, linkDefaults } = args;
    return {
      inputs: { ...inputs, links, ...omitUndefined({ linkDefaults }) },
      failures: failuresOf(mistakes),
    };
  }

  /** Asks only what `check` found: after a failure, outputs say nothing about what is done. */
  diff(_id: string, _olds: unknown, { due }: Pick<Inputs, "due">) {
    return Promise.resolve(due === true ? {} : { changes: false });
  }

  async create(inputs: Declared<Inputs>) {
    return { id: inputs.source, ...(await this.update(inputs.source, {}, inputs)) };
  }

  async update(_id: string, _olds: unknown, stored: Declared<Inputs>) {
    const { clusters, wanted, say, now } = this.#process;
    const inputs = withWholeLinks(stored);
    const tell = (line: string) => {
      say(`${inputs.source}: ${line}`);
    };
    const last = this.#checked.get(inputs.source);
    this.#checked.delete(inputs.source);
    const reasons = await carryOut(clusters, wanted, inputs, tell, now(), last);
    if (reasons.length > 0) throw new PartialFailure(inputs.source, stored, [...reasons, retried]);
    return { outs: outputsOf(inputs) };
  }

  /** The next check compares the clusters with the inputs of the last one, which are newer than a refresh's outputs. */
  read(id: string, props?: Outputs) {
    if (props !== undefined) return Promise.resolve({ id, props });
    const why = `${id} cannot be imported: put its links into the stack's config and run pulumi up, which adopts the mirrors that exist`;
    return Promise.reject(new UserError(why));
  }

  async delete(_id: string, props: Outputs) {
    const { clusters, wanted, say, isolated, now } = this.#process;
    if (isolated.has(props.source)) {
      say(`${props.source}: it is revoked, so its mirrors stay and leave the state`);
      return;
    }
    const failures = await removeAll(clusters, wanted, props, say, now());
    if (failures.length > 0)
      throw new UserError(
        `some mirrors in ${props.source} were not deleted: ${failures.join("; ")}`,
      );
  }
}

export const mirrors = new MirrorsProvider();
