import { defined } from "../kubernetes/objects/defined.ts";
import { movedCluster } from "../kubernetes/identity.ts";
import { accepted, statelessResource } from "./contract.ts";

/** Inputs and state of the resource that remembers which cluster a name stands for. */
export interface IdentityInputs {
  /** Its name in the config. */
  readonly cluster: string;
  readonly context: string;
  /** UID of `kube-system` as it was read in this run; absent where the cluster was out of reach. */
  readonly uid?: string;
  /** What the config says it has to be: `clusters.<name>.uid`. */
  readonly expected?: string;
  /** Why the name does not stand for the cluster that it stood for: nothing is written there in this run. */
  readonly refused?: string;
}

/**
 * Remembers in the stack's state which cluster a name stands for. Another one is refused, which the program has to
 * know before it makes anything that is sent there: whatever is sent to a cluster depends on its resource.
 *
 * @param say Pulumi shows each line that is said as a message of the stack
 */
export function identities(say: (line: string) => void = console.log) {
  return statelessResource<IdentityInputs, IdentityInputs>({
    called: (id) => `cluster identity ${id}`,
    idOf: ({ cluster }) => cluster,

    check({ uid: remembered }, news) {
      const { cluster, context, uid, expected } = news;
      if (uid === undefined) {
        const known = expected ?? remembered;
        return accepted({}, known === undefined ? news : { ...news, uid: known });
      }
      const moved = movedCluster(news, uid, { expected, remembered });
      if (moved !== undefined)
        return accepted(
          {},
          { cluster, context, ...defined({ uid: remembered, expected }), refused: moved },
        );
      if (remembered !== undefined && remembered !== uid)
        say(
          `cluster ${cluster} was made anew (its kube-system has UID ${uid}, and had ${remembered}), and the stack's state still lists what the old one had: run pulumi up --refresh`,
        );
      return accepted({}, news);
    },

    subject: ({ cluster, context, expected, uid, refused }) => {
      return { cluster, context, expected, uid, refused };
    },
    make: (inputs) => Promise.resolve(inputs),
  });
}

export const clusterIdentities = identities();
