import type { Kubernetes } from "./client/interface.ts";
import { resources } from "./objects/resources.ts";
import { UserError } from "../user-error.ts";

/**
 * A cluster is identified by the UID of its namespace `kube-system`, which lasts exactly as long as the
 * cluster. A name or a context can come to mean another cluster; a UID can't.
 */

/** The identity of the cluster of each name in the config; undefined where it could not be read. */
export type Identities = ReadonlyMap<string, string | undefined>;

/**
 * The UID of the namespace `kube-system`, read now.
 *
 * @throws KubernetesError where it can't be read; UserError where the answer has no UID
 */
export async function identify(kubernetes: Kubernetes): Promise<string> {
  const { metadata } = await kubernetes.get(resources.namespaces, { name: "kube-system" });
  if (metadata.uid !== undefined) return metadata.uid;
  throw new UserError(
    `cluster ${kubernetes.cluster} returns its namespace kube-system without a UID: check that its context points to a Kubernetes API server`,
  );
}

/**
 * The sentence for a context that leads to another cluster than the program knows by that name. Undefined where it is
 * the same, or none is known yet.
 *
 * @param at `cluster` is its name in the config
 * @param live the UID as it was read in this run
 * @param known `expected` is `clusters.<name>.uid` of the config, and decides where it is set;
 *   `remembered` is the UID in the stack's state
 */
export function movedCluster(
  { cluster, context }: { readonly cluster: string; readonly context: string },
  live: string,
  {
    expected,
    remembered,
  }: { readonly remembered?: string | undefined; readonly expected?: string | undefined },
): string | undefined {
  const known = expected ?? remembered;
  if (known === undefined || known === live) return undefined;
  return `context ${context} of cluster ${cluster} leads to another cluster than before (its kube-system has UID ${live}, and had ${known}): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.${cluster}.uid to ${live} and run again`;
}

/**
 * Returns sentences, by name, for clusters to which another name leads too. Other contexts, even other kubeconfigs,
 * can lead to one API server, and nobody can say which of the names is wrong.
 */
export function sameClusters(identities: Identities): ReadonlyMap<string, string> {
  return new Map(
    [...identities].flatMap(([name, uid]): [string, string][] => {
      const other = [...identities].find(([each, known]) => each !== name && known === uid)?.[0];
      if (uid === undefined || other === undefined) return [];
      const why = `linkerd-multicluster:clusters.${name} leads to the same cluster as linkerd-multicluster:clusters.${other} (its kube-system has UID ${uid}): fix the context of one of them, or list the cluster once`;
      return [[name, why]];
    }),
  );
}
