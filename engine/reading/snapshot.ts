import {
  type Endpoints,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
  type Service,
} from "../kubernetes/objects/objects.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { label } from "../model/vocabulary.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { fallback } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { unlessBug, UserError } from "../base/user-error.ts";
import { SharedValues } from "../kubernetes/objects/shared-values.ts";

/** With `mirrors`, only the cluster's identity, Links, and the objects of mirrors are read; with `services`, no Endpoints. */
export type Extent = "mirrors" | "services" | undefined;

/** Without one, routes of all kinds and ServiceProfiles are read, whoever has made them. */
export type RouteExtent = "mirrors" | "httpRoutes" | undefined;

/** Nobody may conclude from Endpoints that were not read that there are none. */
class UnreadEndpoints extends Map<ObjectKey, Endpoints> {
  override get(key: ObjectKey): never {
    throw new TypeError(`nobody asked for the Endpoints of ${key}`);
  }
  override [Symbol.iterator](): never {
    throw new TypeError("nobody asked for Endpoints");
  }
}

/**
 * Mirrors alone are read regardless of their size, so that they can be deleted even if there are too many of them to
 * read the whole cluster.
 *
 * Every cluster has the namespace `kube-system` and the Service `default/kubernetes`: lists without them come from
 * something else, and nothing may be concluded from what else they lack.
 */
export async function observe(
  kubernetes: Kubernetes,
  cluster: string,
  extent?: Extent,
): Promise<ClusterSnapshot> {
  const keep = new SharedValues(extent === "mirrors" ? Infinity : undefined);
  const labelSelector = extent === "mirrors" ? label.mirrored : undefined;
  const options = { keep, ...omitUndefined({ labelSelector }) };
  const [namespaces, services, endpoints, links, serviceCidrs] = await Promise.all([
    kubernetes.list(resources.namespaces, { keep }),
    kubernetes.list(resources.services, options),
    extent === "services" ? [] : kubernetes.list(resources.endpoints, options),
    // Mirrors need no Links: the extension may be missing, or the runner may not be allowed to read it.
    kubernetes.list(resources.links, { keep }).catch(fallback(undefined, "notFound", "forbidden")),
    // Kubernetes serves ServiceCIDRs from 1.33 on, and not every runner may read them.
    kubernetes.list(resources.serviceCidrs).catch(unlessBug([])),
  ]);
  const serviceRanges = serviceCidrs.flatMap(({ spec }) => spec?.cidrs ?? []);
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
    endpoints: extent === "services" ? new UnreadEndpoints() : byKey(endpoints),
    ...(serviceRanges.length > 0 && { serviceRanges }),
    ...(links !== undefined && { links: byKey(links) }),
  };
}

/** Reads only what a snapshot of Services lacks. */
export async function withEndpoints(
  kubernetes: Kubernetes,
  services: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const keep = new SharedValues();
  return { ...services, endpoints: byKey(await kubernetes.list(resources.endpoints, { keep })) };
}

/** A list of mirrors is compared with `default/kubernetes`, and with Services whose Endpoints look like a mirror's. */
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

function byKey<T extends { readonly metadata: ObjectMeta }>(objects: readonly T[]) {
  return new Map<ObjectKey, T>(objects.map((object) => [keyOf(object), object]));
}
