import * as pulumi from "@pulumi/pulumi";

export interface IdentityInputs {
  readonly cluster: string;
  readonly context: string;
  /** UID of `kube-system` as it was read in this run; absent where the cluster was out of reach. */
  readonly uid?: string;
  /** What the config says it has to be: `clusters.<name>.uid`. */
  readonly expected?: string;
}

/**
 * Remembers in the stack's state which cluster a name stands for, and refuses another one before
 * anything is sent to it. It holds all its logic, as state written today is read by it for years;
 * so it must not refer to anything outside.
 */
export const identityProvider: pulumi.dynamic.ResourceProvider<IdentityInputs, IdentityInputs> = {
  check(olds: Partial<IdentityInputs>, news) {
    const { cluster, context, expected, uid } = news;
    const key = `linkerd-multicluster:clusters.${cluster}`;
    const known = expected ?? olds.uid;
    if (uid === undefined || known === undefined || uid === known) {
      const inputs = known === undefined || uid !== undefined ? news : { ...news, uid: known };
      return Promise.resolve({ inputs });
    }
    const is = `context ${context} leads to a cluster whose namespace kube-system has UID ${uid}`;
    const reason =
      expected === undefined
        ? `${key}: ${is}, and last time it was ${known}: put the context right; or, if the cluster was made anew, set ${key}.uid to ${uid} and run pulumi up --refresh.`
        : `${key}.uid is ${expected}, but ${is}: put the context or the UID right.`;
    return Promise.resolve({ inputs: news, failures: [{ property: "", reason }] });
  },
  diff(_id, olds, news) {
    const keys = ["cluster", "context", "expected", "uid"] as const;
    return Promise.resolve({ changes: keys.some((key) => olds[key] !== news[key]) });
  },
  create(inputs) {
    return Promise.resolve({ id: inputs.cluster, outs: inputs });
  },
  update(_id, _olds, news) {
    return Promise.resolve({ outs: news });
  },
};

/** Whatever is sent to a cluster depends on this. */
export class ClusterIdentity extends pulumi.dynamic.Resource {
  constructor(
    name: string,
    args: pulumi.Inputs & IdentityInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      identityProvider,
      name,
      { ...args },
      { ...opts, hideDiffs: ["__provider"] },
      "linkerd",
      "ClusterIdentity",
    );
  }
}
