import { keyOf, type ObjectKey, type ObjectMeta } from "../model/objects.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Kubernetes } from "../kubernetes/interface.ts";
import { resources } from "../kubernetes/resources.ts";

/**
 * Reads everything that mirroring needs of a cluster, in three lists.
 *
 * @throws KubernetesError when any of them cannot be read to its end.
 */
export async function observe(kubernetes: Kubernetes, cluster: string): Promise<ClusterSnapshot> {
  const [namespaces, services, endpoints] = await Promise.all([
    kubernetes.list(resources.namespaces),
    kubernetes.list(resources.services),
    kubernetes.list(resources.endpoints),
  ]);
  const byName = new Map(namespaces.map((namespace) => [namespace.metadata.name, namespace]));
  const identity = byName.get("kube-system")?.metadata.uid;
  if (identity === undefined)
    throw new Error(
      `cluster ${cluster} lists no namespace kube-system, so its answers cannot be trusted: see whether the context points at a whole cluster`,
    );
  return {
    cluster,
    identity,
    namespaces: byName,
    services: byKey(services),
    endpoints: byKey(endpoints),
  };
}

function byKey<T extends { readonly metadata: ObjectMeta }>(objects: readonly T[]) {
  return new Map<ObjectKey, T>(objects.map((object) => [keyOf(object), object]));
}
