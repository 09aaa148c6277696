import type { Kubernetes } from "./client/interface.ts";
import { resources } from "./objects/resources.ts";
import { UserError } from "../base/user-error.ts";

/** The UID of `kube-system` lasts as long as the cluster. A name or a context can come to mean another cluster. */
export async function identify(kubernetes: Kubernetes): Promise<string> {
  const { metadata } = await kubernetes.get(resources.namespaces, { name: "kube-system" });
  if (metadata.uid !== undefined) return metadata.uid;
  throw new UserError(
    `cluster ${kubernetes.cluster} returns its namespace kube-system without a UID: check that its context points to a Kubernetes API server`,
  );
}

/**
 * Returns a sentence if a context leads to another cluster than the UID in the config, or else in state, says.
 *
 * @param twin says that another name leads there too; a cluster that is known by its UID is not the wrong one
 */
export function movedCluster(
  { cluster, context }: { readonly cluster: string; readonly context: string },
  live: string,
  known: string | undefined,
  twin?: string,
): string | undefined {
  if (known === live) return undefined;
  if (known === undefined) return twin;
  return `context ${context} of cluster ${cluster} leads to another cluster than before (its kube-system has UID ${live}, and had ${known}): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.${cluster}.uid to ${live} and run again`;
}

/** Returns sentences, by name, for clusters with several names. Config and state may say which of the names is wrong. */
export function sameClusters(
  identities: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, string> {
  return new Map(
    [...identities].flatMap(([name, uid]): [string, string][] => {
      const other = [...identities].find(([each, known]) => each !== name && known === uid)?.[0];
      if (uid === undefined || other === undefined) return [];
      const why = `linkerd-multicluster:clusters.${name} leads to the same cluster as linkerd-multicluster:clusters.${other} (its kube-system has UID ${uid}): fix the context of one of them, or list the cluster once`;
      return [[name, why]];
    }),
  );
}
