import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { ObjectMeta } from "../../../engine/kubernetes/objects/objects.ts";

/**
 * The UIDs of a namespace's Services and Endpoints, as `Service web-west`. An object that was
 * deleted and created again has another.
 */
export async function uidsIn(kube: Kubernetes, namespace: string) {
  return facts(kube, namespace, ({ uid }) => uid);
}

/** The same with their versions, which every write changes. */
export async function versionsIn(kube: Kubernetes, namespace: string) {
  return facts(
    kube,
    namespace,
    ({ uid, resourceVersion }) => `${uid ?? ""} ${resourceVersion ?? ""}`,
  );
}

/** The names of a namespace's Services, sorted. */
export async function servicesIn(kube: Kubernetes, namespace: string): Promise<string[]> {
  const services = await kube.list(resources.services, { namespace });
  return services.map(({ metadata }) => metadata.name).sort();
}

async function facts(
  kube: Kubernetes,
  namespace: string,
  fact: (metadata: ObjectMeta) => string | undefined,
): Promise<Readonly<Record<string, string | undefined>>> {
  const [services, endpoints] = await Promise.all([
    kube.list(resources.services, { namespace }),
    kube.list(resources.endpoints, { namespace }),
  ]);
  const entries = (kind: string, objects: readonly { readonly metadata: ObjectMeta }[]) =>
    objects.map(({ metadata }) => [`${kind} ${metadata.name}`, fact(metadata)] as const);
  return Object.fromEntries(
    [...entries("Service", services), ...entries("Endpoints", endpoints)].sort(),
  );
}
