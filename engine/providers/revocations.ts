import { checkRevocation, revoke } from "../credentials/revocation.ts";
import type { RevocationArgs, RevocationInputs } from "../credentials/state.ts";
import type { Clusters } from "../mirroring/observe/clusters.ts";
import { unlessCancelled } from "./cancellation.ts";
import { differing, PartialFailure, statelessMethods } from "./contract.ts";
import { clusters as ofThisProcess, isolatedHere } from "./process.ts";

/** What all resources of a process share. */
interface RevocationProcess {
  readonly clusters: Clusters;
  readonly isolated: Set<string>;
}

/**
 * Ends the access of one cluster to others. It needs nothing of that cluster, and looks again in every
 * run for as long as the config says `revoked`.
 */
export function revocationsOf({ clusters, isolated }: RevocationProcess) {
  const client = clusters.client.bind(clusters);

  async function carryOut(inputs: RevocationInputs): Promise<void> {
    const problems = await revoke(inputs, client);
    if (problems.length > 0) throw new PartialFailure(inputs.source, inputs, problems);
  }

  return {
    ...statelessMethods((id) => `revocation ${id}`),

    check(olds: Partial<RevocationInputs>, args: RevocationArgs) {
      if (args.isolated) isolated.add(args.source);
      return unlessCancelled(clusters, async () => ({
        inputs: await checkRevocation(olds, args, client),
        failures: [],
      }));
    },

    /** Looks only at what `check` found. */
    diff: differing<RevocationInputs>(({ source, isolated, targets, namespace, revision }) => ({
      ...{ source, isolated, targets, namespace, revision },
    })),

    async create(inputs: RevocationInputs) {
      await carryOut(inputs);
      return { id: inputs.source, outs: inputs };
    },

    async update(_id: string, _olds: unknown, inputs: RevocationInputs) {
      await carryOut(inputs);
      return { outs: inputs };
    },
  };
}

export const revocations = revocationsOf({ clusters: ofThisProcess, isolated: isolatedHere });
