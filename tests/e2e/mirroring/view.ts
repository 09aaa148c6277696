import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type { ObjectMeta } from "../../../engine/kubernetes/objects/objects.ts";

/** Returns the names of a namespace's Services, sorted. */
export async function servicesIn(kube: Kubernetes, namespace: string): Promise<string[]> {
  const services = await kube.list(resources.services, { namespace });
  return services.map(({ metadata }) => metadata.name).sort();
}

/** Returns the UIDs of Services and Endpoints by name. A recreated object has another UID. */
export async function uidsIn(kube: Kubernetes, namespace: string) {
  const services = await kube.list(resources.services, { namespace });
  const endpoints = await kube.list(resources.endpoints, { namespace });
  const uids = (objects: readonly { readonly metadata: ObjectMeta }[]) =>
    Object.fromEntries(objects.map(({ metadata: { name, uid } }) => [name, uid]));
  return { services: uids(services), endpoints: uids(endpoints) };
}
