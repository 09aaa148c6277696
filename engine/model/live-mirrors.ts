import { omitUndefined } from "../base/omit-undefined.ts";
import {
  isHeadless,
  namespaceOf,
  objectKey,
  type ObjectKey,
  type ObjectMeta,
  type Service,
} from "../kubernetes/objects/objects.ts";
import { kinds, type LiveMirror, type MirrorKind } from "./mirror.ts";
import type { Keep } from "./decision.ts";
import { federated, isProbe, type Owner, ownerOf } from "./owner.ts";
import type { ClusterSnapshot } from "./snapshot.ts";
import {
  annotation,
  federatedName,
  label,
  linkerdNames,
  mirrorName,
  mirrorPlace,
} from "./vocabulary.ts";

/** Includes Endpoints that have lost their Service. */
export function liveMirrors(
  source: ClusterSnapshot,
  owner: Pick<Owner, "owns">,
): Map<ObjectKey, LiveMirror> {
  const found = new Map<ObjectKey, LiveMirror>();
  for (const [key, service] of source.services)
    if (owner.owns(service)) found.set(key, { service });
  for (const [key, endpoints] of source.endpoints) {
    if (!owner.owns(endpoints)) continue;
    // Endpoints of somebody else's Service belong to that Service, whatever their labels.
    if (source.services.has(key) && !found.has(key)) continue;
    found.set(key, { ...found.get(key), endpoints });
  }
  return found;
}

export function liveKind({ service, endpoints }: LiveMirror): MirrorKind {
  if (service !== undefined && federated.owns(service)) return "federated";
  const labels = service?.metadata.labels ?? endpoints?.metadata.labels ?? {};
  if (isProbe(labels)) return "probe";
  if (labels[label.headlessRoot] !== undefined) return "endpoint";
  if (labels[label.remoteDiscovery] !== undefined) return "discovery";
  return service !== undefined && isHeadless(service) ? "headless" : "gateway";
}

/**
 * Names the exported Service of a live mirror, and the pod behind an endpoint mirror, if they are known. A mirror's name
 * says neither, because a link may give mirrors other names and namespaces.
 */
export function originOf(
  key: ObjectKey,
  live: LiveMirror,
): { readonly service?: ObjectKey; readonly pod?: string } {
  const [namespace = "", mirror = ""] = key.split("/");
  const kind = liveKind(live);
  if (kind === "federated")
    return { service: objectKey(namespace, mirror.slice(0, -federatedName("").length)) };
  const names = (metaOf(live).annotations?.[annotation.remoteName] ?? "").split(".");
  const [pod, service, place = namespace] = kinds[kind].isOfPod ? names : [undefined, ...names];
  if (service === undefined || service === "") return {};
  return { service: objectKey(place, service), ...omitUndefined({ pod }) };
}

/** Returns whether Linkerd's controller would give the mirror its name and namespace. Its chart brings a probe of its own. */
export function isLinkerdNamed(live: LiveMirror): boolean {
  if (liveKind(live) === "probe") return false;
  const { name, namespace, labels = {} } = metaOf(live);
  const { service, pod } = originOf(objectKey(namespace, name), live);
  const naming = { target: labels[label.cluster] ?? "", names: linkerdNames };
  if (service === undefined) return name.endsWith(mirrorName("", naming));
  const origin = pod === undefined ? service : objectKey(namespaceOf(service), pod);
  return mirrorPlace(origin, { ...naming, mirrorNamespaces: {} }) === objectKey(namespace, name);
}

/** Returns the headless mirror of an endpoint mirror, and any other mirror itself. */
export function rootOf(key: ObjectKey, { labels }: Pick<ObjectMeta, "labels">): ObjectKey {
  const root = labels?.[label.headlessRoot];
  return root === undefined ? key : objectKey(namespaceOf(key), root);
}

export function addressOf(service: Service | undefined): string | undefined {
  const { clusterIP = "" } = service?.spec ?? {};
  return clusterIP === "" || clusterIP === "None" ? undefined : clusterIP;
}

export function metaOf({ service, endpoints }: LiveMirror): ObjectMeta {
  return (service ?? endpoints)?.metadata ?? { name: "", namespace: "" };
}

/** Returns the mirrors of a part about which nothing is decided, so that they stay as they are. */
export function undecidedMirrors(source: ClusterSnapshot, part: string): Keep[] {
  return [...liveMirrors(source, ownerOf(part))].map(([key, live]) => ({
    verdict: "keep",
    part,
    key,
    kind: liveKind(live),
    live,
    fields: [],
  }));
}
