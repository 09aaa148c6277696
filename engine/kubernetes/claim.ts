import { KubernetesError } from "./client/errors.ts";
import type { Kubernetes } from "./client/interface.ts";
import { defined } from "./objects/defined.ts";
import type { Lease } from "./objects/objects.ts";
import { resources } from "./objects/resources.ts";

/**
 * The Lease whose holder is the stack that has the cluster, where several share a mesh. Its namespace is there before
 * Linkerd is installed.
 */
export const claimLease = { namespace: "default", name: "linkerd-multicluster" } as const;

/** The stack that has a cluster, if any has. */
export async function holderOf(kubernetes: Kubernetes): Promise<string | undefined> {
  return holderIn(await kubernetes.find(resources.leases, claimLease));
}

/**
 * Claims a cluster that nobody has, or one of `former`.
 *
 * @param former names that the stack has had
 * @returns the holder after that, which is another stack where that was first
 * @throws KubernetesError
 */
export async function claim(
  kubernetes: Kubernetes,
  stack: string,
  former: readonly string[],
): Promise<string> {
  const live = await kubernetes.find(resources.leases, claimLease);
  const holder = holderIn(live);
  if (holder !== undefined && ![stack, ...former].includes(holder)) return holder;
  if (holder === stack) return stack;
  const spec = { holderIdentity: stack };
  try {
    await (live === undefined
      ? kubernetes.create(resources.leases, { metadata: claimLease, spec })
      : kubernetes.replace(resources.leases, { ...live, spec: { ...live.spec, ...spec } }));
    return stack;
  } catch (error) {
    const kinds = ["alreadyExists", "conflict"];
    if (!(error instanceof KubernetesError) || !kinds.includes(error.kind)) throw error;
    const first = await holderOf(kubernetes);
    if (first === undefined) throw error;
    return first;
  }
}

/**
 * Ends the claim of any of these stacks; that of another stays.
 *
 * @throws KubernetesError
 */
export async function endClaim(kubernetes: Kubernetes, stacks: readonly string[]): Promise<void> {
  const live = await kubernetes.find(resources.leases, claimLease);
  const holder = holderIn(live);
  if (live === undefined || holder === undefined || !stacks.includes(holder)) return;
  const { uid, resourceVersion } = live.metadata;
  await kubernetes.remove(resources.leases, claimLease, defined({ uid, resourceVersion }));
}

/** A Lease without a holder holds nothing. */
function holderIn(lease: Lease | undefined): string | undefined {
  const holder = lease?.spec?.holderIdentity ?? "";
  return holder === "" ? undefined : holder;
}
