import { checkRevocation, revoke } from "../credentials/revocation.ts";
import type { RevocationArgs, RevocationInputs } from "../credentials/state.ts";
import type { Clusters } from "../mesh/clusters.ts";
import { statelessResource, PartialFailure, retried } from "./contract.ts";
import { clusters as ofThisProcess, revokedInThisRun, unlessCancelled } from "./process.ts";

interface RevocationProcess {
  readonly clusters: Clusters;
  readonly isolated: Set<string>;
}

/**
 * Ends the access of one cluster to others, without contacting that cluster. Every run looks again for as long as the
 * config says `revoked`.
 */
export function revocationsOf({ clusters, isolated }: RevocationProcess) {
  const client = clusters.client.bind(clusters);
  return statelessResource<RevocationArgs, RevocationInputs>({
    called: (id) => `revocation ${id}`,
    idOf: ({ source }) => source,

    check(olds, args) {
      if (args.isolated) isolated.add(args.source);
      return unlessCancelled(clusters, async () => ({
        inputs: await checkRevocation(olds, args, client),
        failures: [],
      }));
    },

    subject: ({ source, isolated, targets, namespace, revision }) => {
      return { source, isolated, targets, namespace, revision };
    },

    async make(inputs) {
      const problems = await revoke(inputs, client);
      if (problems.length === 0) return inputs;
      throw new PartialFailure(inputs.source, inputs, [...problems, retried]);
    },
  });
}

export const revocations = revocationsOf({ clusters: ofThisProcess, isolated: revokedInThisRun });
