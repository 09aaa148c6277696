import { claim, claimLease, endClaim, holderOf } from "../kubernetes/claim.ts";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import { movedCluster } from "../kubernetes/identity.ts";
import { type ClusterAccess, KubeconfigError } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { Clusters } from "../mirroring/observe/clusters.ts";
import { unlessCancelled } from "./cancellation.ts";
import { statelessResource } from "./contract.ts";
import { clusters as ofThisProcess, isolatedHere } from "./process.ts";

/** A cluster that is to be one stack's alone. */
export interface ClaimArgs extends ClusterAccess {
  /** Its name in the config. */
  readonly cluster: string;
  /** `organization/project/stack`. */
  readonly stack: string;
  /** UID of `kube-system` that the config says it must have. */
  readonly uid?: string;
}

/** Inputs as `check` returns them, and state. */
export interface ClaimInputs extends ClaimArgs {
  /** UID of `kube-system`, as it was last read. */
  readonly identity?: string;
  /** Names that the stack has had, for as long as the claim may still be by one of them. */
  readonly formerStacks?: readonly string[];
  /** Why the cluster could not be read in this run, which then claims nothing. */
  readonly unread?: string;
  /** Incremented by each run that has something to write; `diff` compares it. */
  readonly revision: number;
}

/** What all resources of a process share. */
interface ClaimProcess {
  readonly clusters: Clusters;
  readonly isolated: ReadonlySet<string>;
  /** Pulumi shows each line that is said as a message of the stack. */
  readonly say: (line: string) => void;
}

/** Makes a stack the only one that writes to a cluster, among those that claim what they write to. */
export function claimsOf({ clusters, isolated, say }: ClaimProcess) {
  /** Identities of the clusters that this run wants: a cluster may have got another name. */
  const wanted = new Set<string>();

  /** Whether the stack has the cluster now, or why that can't be known. */
  async function claimant(
    { cluster, stack, ...access }: ClaimArgs,
    remembered: string | undefined,
    former: readonly string[],
    how: "snapshot" | "anew" = "snapshot",
  ): Promise<{ readonly identity: string; readonly held: boolean } | { readonly unread: string }> {
    let identity: string;
    try {
      ({ identity } = await clusters[how](cluster, access));
    } catch (error) {
      if (error instanceof KubernetesError) return { unread: error.message };
      throw error;
    }
    const { context, uid: expected } = access;
    const moved = movedCluster({ cluster, context }, identity, { expected, remembered });
    if (moved !== undefined) throw new Refusal(moved);
    const holder = await holderNow(cluster, access);
    if (typeof holder === "object") return holder;
    if (holder !== undefined && ![stack, ...former].includes(holder))
      throw new Refusal(refusal({ cluster, context, stack }, holder));
    return { identity, held: holder === stack };
  }

  async function holderNow(cluster: string, access: ClusterAccess) {
    try {
      return await holderOf(await clusters.client(cluster, access));
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      if (error.kind === "forbidden")
        throw new Refusal(`${error.message} (docs/reference/access.md)`);
      return { unread: error.message };
    }
  }

  /** What is known then: a cluster that was away when the run was planned may be back. */
  async function take({ unread, ...inputs }: ClaimInputs): Promise<ClaimInputs> {
    const { cluster, context, stack, formerStacks = [] } = inputs;
    const seen =
      unread === undefined
        ? undefined
        : await claimant(inputs, inputs.identity, formerStacks, "anew");
    if (seen !== undefined && "unread" in seen) {
      say(`${cluster}: this stack does not claim it yet, because ${seen.unread}`);
      return { ...inputs, ...seen };
    }
    const holder = await claim(await clusters.client(cluster, inputs), stack, formerStacks);
    if (holder !== stack) throw new Error(refusal({ cluster, context, stack }, holder));
    return seen === undefined ? inputs : { ...inputs, identity: seen.identity };
  }

  const methods = statelessResource<ClaimArgs, ClaimInputs>({
    called: (id) => `claim ${id}`,
    idOf: ({ cluster }) => cluster,
    subject: ({ revision }) => ({ revision }),
    make: (inputs) => unlessCancelled(clusters, () => take(inputs)),

    check(olds, args) {
      return unlessCancelled(clusters, async () => {
        const former = [...new Set([...(olds.formerStacks ?? []), olds.stack ?? args.stack])];
        const formerStacks = former.filter((name) => name !== args.stack);
        const { revision = 0, identity: remembered } = olds;
        try {
          const seen = await claimant(args, remembered, formerStacks);
          const identity = "unread" in seen ? remembered : seen.identity;
          if (identity !== undefined) wanted.add(identity);
          const isHeld = "unread" in seen ? olds.stack === args.stack : seen.held;
          const inputs = {
            ...args,
            ...(identity !== undefined && { identity }),
            ...(!isHeld && formerStacks.length > 0 && { formerStacks }),
            ...("unread" in seen && !isHeld && { unread: seen.unread }),
          };
          const isChanged = !isHeld || olds.unread !== undefined || differs(olds, inputs);
          return {
            inputs: { ...inputs, revision: isChanged ? revision + 1 : revision },
            failures: [],
          };
        } catch (error) {
          if (!(error instanceof Refusal) && !(error instanceof KubeconfigError)) throw error;
          const failures = [{ property: "cluster", reason: error.message }];
          return { inputs: { ...args, revision }, failures };
        }
      });
    },
  });

  return {
    ...methods,

    async delete(_id: string, props: ClaimInputs) {
      const { cluster, context, stack, identity, formerStacks = [] } = props;
      // It was never claimed, or nobody may go there, or it has but got another name.
      if (identity === undefined || isolated.has(cluster) || wanted.has(identity)) return;
      await unlessCancelled(clusters, async () => {
        const live = (await clusters.anew(cluster, props)).identity;
        const moved = movedCluster({ cluster, context }, live, { remembered: identity });
        if (moved !== undefined) throw new Error(moved);
        await endClaim(await clusters.client(cluster, props), [stack, ...formerStacks]);
      });
    },
  };
}

export const claims = claimsOf({
  clusters: ofThisProcess,
  isolated: isolatedHere,
  say: (line) => {
    console.log(line);
  },
});

/** What the user has to fix. */
class Refusal extends Error {}

function refusal(
  { cluster, context, stack }: Pick<ClaimArgs, "cluster" | "context" | "stack">,
  holder: string,
): string {
  const { namespace, name } = claimLease;
  return `cluster ${cluster} is the stack ${holder}'s, as Lease ${cluster}/${namespace}/${name} says, so the stack ${stack} may not write to it: leave it out of linkerd-multicluster:sources of one of them; if the stack ${holder} is gone or has given the cluster up, delete the Lease: kubectl --context ${context} -n ${namespace} delete lease ${name}`;
}

function differs(olds: Partial<ClaimInputs>, news: Omit<ClaimInputs, "revision">): boolean {
  const keys = ["cluster", "context", "kubeconfig", "uid", "stack", "identity"] as const;
  return keys.some((key) => olds[key] !== news[key]);
}
