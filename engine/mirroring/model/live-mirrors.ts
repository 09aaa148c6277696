import {
  isHeadless,
  namespaceOf,
  objectKey,
  type ObjectKey,
  type ObjectMeta,
  type Service,
} from "../../kubernetes/objects/objects.ts";
import type { LiveMirror, MirrorKind } from "./mirror.ts";
import type { Keep } from "./decision.ts";
import { federated, type Owner, ownerOf } from "./owner.ts";
import type { ClusterSnapshot } from "./snapshot.ts";
import { label } from "./vocabulary.ts";

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
  const labels = service?.metadata.labels ?? endpoints?.metadata.labels ?? {};
  if (labels[label.headlessRoot] !== undefined) return "endpoint";
  if (labels[label.remoteDiscovery] !== undefined) return "discovery";
  if (service !== undefined && federated.owns(service)) return "federated";
  return service !== undefined && isHeadless(service) ? "headless" : "gateway";
}

/** Returns the headless mirror of an endpoint mirror, and any other mirror itself. */
export function rootOf(key: ObjectKey, { service, endpoints }: LiveMirror): ObjectKey {
  const root = (service ?? endpoints)?.metadata.labels?.[label.headlessRoot];
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
