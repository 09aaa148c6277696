import type { GateArgs, GateBefore, GateInputs } from "../admitting/args.ts";
import { carryOutGate, checkGate, removeGate, untilGiven } from "../admitting/run.ts";
import { mirrorsLeft } from "../mirroring/mirrors-left.ts";
import { withWayOut } from "../mirroring/removal.ts";
import { type Declared, withWholeLinks } from "../model/declared.ts";
import { resultOf } from "../base/result.ts";
import { UserError } from "../base/user-error.ts";
import { awaitsUnknown, type Checked, PartialFailure, retried, unknownValue } from "./contract.ts";
import { clusters, revokedInThisRun, unlessCancelled } from "./process.ts";
import { statelessResource } from "./stateless.ts";

type Inputs = Declared<GateInputs>;

/** The name that the cluster of each gateway has in this run. Pulumi deletes a resource with an old name after it has made the new one. */
const closedInThisRun = new Map<string, string>();

function gatewayOf({ identity, namespace }: Pick<Inputs, "identity" | "namespace">): string {
  return JSON.stringify([identity, namespace]);
}

const idOf = ({ target, phase }: Pick<Inputs, "target" | "phase">) => `${target}/${phase}`;

/** There are two for a closed gateway: one before the mirrors of all sources, and one after them. */
export const gates = {
  ...statelessResource<Inputs>({
    idOf,
    // What `delete` needs of the outputs.
    subject: ({ clusters: places, stack, namespace, identity }) => ({
      clusters: places,
      stack,
      namespace,
      identity,
    }),
    isDue: ({ due }) => due === true,
    async make(inputs, olds) {
      const [whole, before] = [withWholeLinks(inputs), withWholeLinks(olds)];
      const carriedOut = () =>
        unlessCancelled(clusters, () => carryOutGate(clusters, mirrorsLeft, whole, before));
      const result = await resultOf(carriedOut, inputs.target);
      if ("value" in result) {
        if (inputs.phase === "give" || result.value.length === 0) return inputs;
        throw new PartialFailure(idOf(inputs), inputs, [...result.value, retried]);
      }
      // Mirrors that need nothing of this gateway wait for it, and the second resource tries again and fails the run.
      if (inputs.phase === "give" && !clusters.isCancelled) {
        console.log(`${inputs.target}: warning: ${result.why}${untilGiven}`);
        return inputs;
      }
      // What the first run has written before it failed is undone only if state has the resource. Later, the state of
      // the run before tells more: where the gateway was.
      if (olds.target !== undefined) throw new UserError(result.why);
      throw new PartialFailure(idOf(inputs), inputs, [result.why, retried]);
    },
  }),

  check: (
    olds: GateBefore,
    args: Declared<GateArgs>,
  ): Promise<Checked<Inputs | Readonly<Record<string, unknown>>>> =>
    unlessCancelled(clusters, async () => {
      if (awaitsUnknown(args)) {
        const inputs: Readonly<Record<string, unknown>> = { ...args, revision: unknownValue };
        return { inputs, failures: [] };
      }
      const { inputs, notes } = await checkGate(clusters, mirrorsLeft, olds, withWholeLinks(args));
      if (inputs.identity !== undefined) closedInThisRun.set(gatewayOf(inputs), args.target);
      for (const note of notes) console.log(`${args.target}: ${note}`);
      const { links, linkDefaults } = args;
      return {
        inputs: { ...inputs, links, ...(linkDefaults !== undefined && { linkDefaults }) },
        failures: [],
      };
    }),

  /**
   * The second one opens the gateway, since the engine deletes it first. If a run was killed before state had it, the
   * first one does.
   */
  async delete(_id: string, props: Inputs) {
    const { target, identity } = props;
    // A run that has never read the cluster has never closed its gateway.
    if (identity === undefined || revokedInThisRun.has(target)) return;
    if ((closedInThisRun.get(gatewayOf(props)) ?? target) !== target) return;
    const remove = () => removeGate(clusters, withWholeLinks(props));
    const removed = await unlessCancelled(clusters, () => resultOf(remove, target));
    if ("why" in removed) throw new UserError(withWayOut(target, removed.why));
  },
};
