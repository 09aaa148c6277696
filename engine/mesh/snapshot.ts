import type { LinkResource } from "../kubernetes/objects/link-resource.ts";
import {
  type Endpoints,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
  type Service,
} from "../kubernetes/objects/objects.ts";
import { omitUndefined } from "../kubernetes/objects/omit-undefined.ts";
import { label } from "../mirroring/model/vocabulary.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { UserError } from "../user-error.ts";
import { SharedValues } from "../kubernetes/objects/shared-values.ts";

/** With `mirrors`, only the cluster's identity, Links, and the objects of mirrors are read. */
export type Extent = "mirrors" | undefined;

/**
 * Reads everything that mirroring needs of a cluster, in five lists. Only mirrors are read regardless of their
 * size, so that they can be deleted even if there are too many of them to read the whole cluster.
 *
 * Every cluster has the namespace `kube-system` and the Service `default/kubernetes`: lists without
 * them come from something else, and nothing may be concluded from what else they lack.
 *
 * @throws KubernetesError when any of them cannot be read to its end, Error when they are not whole
 */
export async function observe(
  kubernetes: Kubernetes,
  cluster: string,
  extent?: Extent,
): Promise<ClusterSnapshot> {
  const keep = new SharedValues(extent === "mirrors" ? Infinity : undefined);
  const labelSelector = extent === "mirrors" ? `${label.mirrored}=true` : undefined;
  const options = { keep, ...omitUndefined({ labelSelector }) };
  const [namespaces, services, endpoints, links, serviceRanges] = await Promise.all([
    kubernetes.list(resources.namespaces, { keep }),
    kubernetes.list(resources.services, options),
    kubernetes.list(resources.endpoints, options),
    linksOf(kubernetes, keep),
    serviceRangesOf(kubernetes),
  ]);
  const byName = new Map(namespaces.map((namespace) => [namespace.metadata.name, namespace]));
  const identity = byName.get("kube-system")?.metadata.uid;
  if (identity === undefined) throw doubtful(cluster, "namespace kube-system");
  const beside =
    extent === "mirrors" ? await servicesBeside(kubernetes, keep, services, endpoints) : [];
  const servicesByKey = byKey([...services, ...beside]);
  if (!servicesByKey.has("default/kubernetes"))
    throw doubtful(cluster, "Service default/kubernetes");
  return {
    cluster,
    identity,
    namespaces: byName,
    services: servicesByKey,
    endpoints: byKey(endpoints),
    ...(serviceRanges.length > 0 && { serviceRanges }),
    ...(links !== undefined && { links: byKey(links) }),
  };
}

/**
 * Reads the Services that a list of mirrors is compared with: `default/kubernetes`, and those whose Endpoints look
 * like a mirror's.
 */
async function servicesBeside(
  kubernetes: Kubernetes,
  keep: SharedValues,
  services: readonly Service[],
  endpoints: readonly Endpoints[],
): Promise<Service[]> {
  const known = new Set(services.map(keyOf));
  const asked = endpoints.filter((each) => !known.has(keyOf(each))).map(({ metadata }) => metadata);
  const found = [{ namespace: "default", name: "kubernetes" }, ...asked].map(
    ({ namespace, name }) =>
      kubernetes.list(resources.services, {
        namespace,
        fieldSelector: `metadata.name=${name}`,
        keep,
      }),
  );
  return (await Promise.all(found)).flat();
}

function doubtful(cluster: string, missing: string): Error {
  return new UserError(
    `cluster ${cluster} lists no ${missing}, so its answers cannot be trusted: check that its context points to a whole cluster`,
  );
}

/** Mirrors need no Links: the extension may be missing, or the runner may not be allowed to read it. */
async function linksOf(
  kubernetes: Kubernetes,
  keep: SharedValues,
): Promise<LinkResource[] | undefined> {
  try {
    return await kubernetes.list(resources.links, { keep });
  } catch (error) {
    if (error instanceof KubernetesError && ["notFound", "forbidden"].includes(error.kind))
      return undefined;
    throw error;
  }
}

/** Kubernetes serves them from 1.33 on, and not every runner may read them. Without them, there are none. */
async function serviceRangesOf(kubernetes: Kubernetes): Promise<string[]> {
  try {
    const found = await kubernetes.list(resources.serviceCidrs);
    return found.flatMap(({ spec }) => spec?.cidrs ?? []);
  } catch (error) {
    if (error instanceof KubernetesError) return [];
    throw error;
  }
}

function byKey<T extends { readonly metadata: ObjectMeta }>(objects: readonly T[]) {
  return new Map<ObjectKey, T>(objects.map((object) => [keyOf(object), object]));
}
