import { movedCluster } from "../kubernetes/identity.ts";
import { type CheckFailure, statelessMethods } from "./contract.ts";

/** Inputs and state of the resource that remembers which cluster a name stands for. */
export interface IdentityInputs {
  /** Its name in the config. */
  readonly cluster: string;
  readonly context: string;
  /** UID of `kube-system` as it was read in this run; absent where the cluster was out of reach. */
  readonly uid?: string;
  /** What the config says it has to be: `clusters.<name>.uid`. */
  readonly expected?: string;
}

/**
 * Remembers in the stack's state which cluster a name stands for, and refuses another one before
 * anything is sent to it: whatever is sent to a cluster depends on its resource.
 */
export const clusterIdentities = identities();

/** Pulumi shows each line that is said as a message of the stack. */
export function identities(say: (line: string) => void = console.log) {
  return {
    ...statelessMethods((id) => `cluster identity ${id}`),

    check(olds: Partial<IdentityInputs>, news: IdentityInputs) {
      const { uid, expected } = news;
      const remembered = olds.uid;
      if (uid === undefined) {
        const known = expected ?? remembered;
        const inputs = known === undefined ? news : { ...news, uid: known };
        return Promise.resolve({ inputs, failures: [] });
      }
      const moved = movedCluster(news, uid, { expected, remembered });
      const failures: CheckFailure[] =
        moved === undefined ? [] : [{ property: "uid", reason: moved }];
      if (moved === undefined && remembered !== undefined && remembered !== uid)
        say(
          `cluster ${news.cluster} was made anew (its kube-system has UID ${uid}, and had ${remembered}), and the stack's state still lists what the old one had: run pulumi up --refresh`,
        );
      return Promise.resolve({ inputs: news, failures });
    },

    diff(_id: string, olds: Partial<IdentityInputs>, news: Partial<IdentityInputs>) {
      const keys = ["cluster", "context", "expected", "uid"] as const;
      return Promise.resolve({ changes: keys.some((key) => olds[key] !== news[key]) });
    },

    create(inputs: IdentityInputs) {
      return Promise.resolve({ id: inputs.cluster, outs: inputs });
    },

    update(_id: string, _olds: IdentityInputs, inputs: IdentityInputs) {
      return Promise.resolve({ outs: inputs });
    },
  };
}
