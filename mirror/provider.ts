/**
 * The dynamic provider's methods. The program's provider object holds nothing but a call of these,
 * and state keeps that call for years: the package's name and `mirrors` are a public contract.
 */

import { apply } from "./apply/apply.ts";
import { World } from "./observe/world.ts";
import type { Change } from "./plan/change.ts";
import { describeLive, liveKind } from "./plan/describe.ts";
import { liveMirrors } from "./plan/ownership.ts";
import { check, type CheckFailure } from "./provider/check.ts";
import { reconcile } from "./provider/reconcile.ts";
import {
  outputsOf,
  type MirrorsArgs,
  type MirrorsInputs,
  type MirrorsOutputs,
} from "./provider/state.ts";
import { accessTo, nameOf } from "./provider/survey.ts";
import { awaitsUnknown, unknownValue } from "./provider/unknown.ts";

/** One process serves one phase of one operation, and all links in it share what it has read. */
const world = new World();

// Pulumi shows each line that the provider prints as a message of the stack.
const say = (line: string): void => {
  console.log(line);
};

interface Checked {
  readonly inputs: MirrorsInputs;
  readonly failures: CheckFailure[];
}

export const mirrors = {
  async check(olds: Partial<MirrorsInputs>, args: MirrorsArgs): Promise<Checked> {
    if (awaitsUnknown(args)) {
      const revision = (olds.revision ?? 0) + 1;
      return { inputs: { ...args, mirrors: unknownValue, revision }, failures: [] };
    }
    const { inputs, failures, notes } = await check(world, olds, args);
    notes.forEach(say);
    return { inputs, failures: [...failures] };
  },

  /** Looks only at what `check` found; refresh calls it with the arguments the other way round. */
  diff(_id: string, olds: Partial<MirrorsOutputs>, news: Partial<MirrorsInputs>) {
    return Promise.resolve(olds.revision === news.revision ? { changes: false } : {});
  },

  async create(inputs: MirrorsInputs) {
    const id = nameOf(inputs.link);
    await carryOut(id, inputs);
    return { id, outs: outputsOf(inputs) };
  },

  async update(id: string, _olds: MirrorsOutputs, inputs: MirrorsInputs) {
    await carryOut(id, inputs);
    return { outs: outputsOf(inputs) };
  },

  /** Reports the mirrors as they are, which needs the source cluster alone. */
  async read(id: string, props?: MirrorsOutputs) {
    if (props === undefined)
      throw new Error(
        `link ${id} cannot be imported: put it into the stack's config and run pulumi up, which takes over the mirrors that are there`,
      );
    const { link } = props;
    const source = await world.snapshot(link.source, accessTo(props, link.source));
    const live = liveMirrors(source, link.target);
    const lines = [...live].map(([key, mirror]) => [key, describeLive(mirror)] as const);
    return { id, props, inputs: { ...props, mirrors: Object.fromEntries(lines.sort()) } };
  },

  /** Deletes every mirror of the link, which needs the source cluster alone. */
  async delete(_id: string, props: MirrorsOutputs) {
    const { link } = props;
    const access = accessTo(props, link.source);
    world.forget(access);
    const source = await world.snapshot(link.source, access);
    const changes = [...liveMirrors(source, link.target)].map(([key, live]): Change => ({
      action: "delete",
      kind: liveKind(live),
      key,
      live,
      fields: [],
    }));
    const kubernetes = await world.client(link.source, access);
    const ground = { kubernetes, source: link.source, target: link.target };
    const failures = await apply(ground, { addresses: new Map(), changes, namespaces: [] }, say);
    if (failures.length > 0)
      throw new Error(`link ${nameOf(link)} could not be undone: ${failures.join("; ")}`);
  },
};

/** An error that Pulumi records together with the state, so that the next run carries on. */
class PartialFailure extends Error {
  readonly id: string;
  readonly properties: MirrorsInputs;
  readonly reasons: readonly string[];

  constructor(id: string, inputs: MirrorsInputs, reasons: readonly string[]) {
    super(`link ${id} is mirrored in part; run pulumi up again to go on`);
    this.id = id;
    // All inputs, since among them is the provider's own code, without which nothing can be deleted.
    this.properties = inputs;
    this.reasons = reasons;
  }
}

async function carryOut(id: string, inputs: MirrorsInputs): Promise<void> {
  const failures = await reconcile(world, inputs, say);
  if (failures.length > 0) throw new PartialFailure(id, inputs, failures);
}
