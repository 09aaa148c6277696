import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type { ObjectKey } from "../../../engine/kubernetes/objects/objects.ts";
import { kinds } from "./objects.ts";

type Patch = Readonly<Record<string, unknown>>;

export function nameOf(key: ObjectKey): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

/** A merge patch of a Service: null takes a key away, a list is replaced. */
export function patchService(kube: Kubernetes, key: ObjectKey, patch: Patch): Promise<unknown> {
  return kube.patch(kinds.Service, nameOf(key), patch);
}

export function patchEndpoints(kube: Kubernetes, key: ObjectKey, patch: Patch): Promise<unknown> {
  return kube.patch(kinds.Endpoints, nameOf(key), patch);
}

export function relabel(
  kube: Kubernetes,
  key: ObjectKey,
  labels: Readonly<Record<string, string | null>>,
): Promise<unknown> {
  return patchService(kube, key, { metadata: { labels } });
}

export const unexport = { "mirror.linkerd.io/exported": null };

export function removeService(kube: Kubernetes, key: ObjectKey): Promise<void> {
  return kube.remove(kinds.Service, nameOf(key));
}

export function removeEndpoints(kube: Kubernetes, key: ObjectKey): Promise<void> {
  return kube.remove(kinds.Endpoints, nameOf(key));
}
