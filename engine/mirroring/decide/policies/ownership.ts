import { type Refusal } from "./refuse.ts";
import { type Mirror, mirrorKey, type MirrorKind } from "../../model/mirror.ts";
import {
  isHeadless,
  malformed,
  objectKey,
  type Endpoints,
  type ObjectKey,
  type ObjectMeta,
  type Service,
  type StringMap,
} from "../../../kubernetes/objects/objects.ts";
import { federated, type Owner } from "../../model/owner.ts";
import { malformedObject } from "../../model/reasons.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { label } from "../../model/vocabulary.ts";
import type { LiveMirror } from "../decision.ts";

/** All that an owner has in the source, Endpoints that have lost their Service included. */
export function liveMirrors(source: ClusterSnapshot, owner: Owner): Map<ObjectKey, LiveMirror> {
  const found = new Map<ObjectKey, LiveMirror>();
  for (const [key, service] of source.services)
    if (owner.owns(service)) found.set(key, { service });
  for (const [key, endpoints] of source.endpoints) {
    if (!owner.owns(endpoints)) continue;
    // Endpoints under somebody else's Service are that Service's business, whatever their labels.
    if (source.services.has(key) && !found.has(key)) continue;
    found.set(key, { ...found.get(key), endpoints });
  }
  return found;
}

/** The kind of a live mirror, going by its labels alone. */
export function liveKind(live: LiveMirror): MirrorKind {
  const labels = live.service?.metadata.labels ?? live.endpoints?.metadata.labels ?? {};
  if (labels[label.headlessRoot] !== undefined) return "endpoint";
  if (labels[label.remoteDiscovery] !== undefined) return "discovery";
  if (live.service !== undefined && federated.owns(live.service)) return "federated";
  return live.service !== undefined && isHeadless(live.service) ? "headless" : "gateway";
}

/** The mirror that a live object belongs to: for an endpoint mirror its headless mirror. */
export function rootOf(key: ObjectKey, live: LiveMirror): ObjectKey {
  const meta = (live.service ?? live.endpoints)?.metadata;
  const root = meta?.labels?.[label.headlessRoot];
  return meta === undefined || root === undefined ? key : objectKey(meta.namespace, root);
}

/** The IP by which a Service answers inside its cluster; a headless one has none. */
export function addressOf(service: Service | undefined): string | undefined {
  const ip = service?.spec.clusterIP;
  return ip === undefined || ip === "" || ip === "None" ? undefined : ip;
}

/**
 * Mirrors whose name is held by something that is not their owner's, or that is on its way out and
 * so can neither be written nor be made anew.
 */
export function unwritable(
  mirrors: readonly Mirror[],
  source: ClusterSnapshot,
  owner: Owner,
): Refusal[] {
  return mirrors.flatMap((mirror): Refusal[] => {
    const key = mirrorKey(mirror);
    const service = source.services.get(key);
    const inTheWay = endpointsInTheWay(mirror, source);
    for (const [kind, object] of [
      ["Service", service],
      ["Endpoints", inTheWay],
    ] as const) {
      const problem = object?.[malformed];
      if (problem === undefined) continue;
      const sentence = malformedObject(source.cluster, kind, problem);
      return [{ mirror, reason: "Malformed", sentence }];
    }
    const holder = taken("Service", service, owner) ?? taken("Endpoints", inTheWay, owner);
    if (holder === undefined) {
      if (service?.metadata.deletionTimestamp === undefined) return [];
      const sentence = `the Service ${key} on ${source.cluster} is being deleted and a finalizer holds it: have it removed and run again`;
      return [{ mirror, reason: "BeingDeleted", sentence }];
    }
    const sentence = `${source.cluster} already has ${holder} ${key}: rename or delete it, or rename what is exported`;
    return [{ mirror, reason: "NotOurs", sentence }];
  });
}

/**
 * Nobody looks at the Endpoints of a federated Service: those that Kubernetes makes under ours when
 * somebody gives it a selector carry nothing of us, and must not keep the selector from going.
 */
function endpointsInTheWay(mirror: Mirror, source: ClusterSnapshot): Endpoints | undefined {
  const key = mirrorKey(mirror);
  const harmless = mirror.kind === "federated" && source.services.has(key);
  return harmless ? undefined : source.endpoints.get(key);
}

/** How to call the object that is in the way, or undefined where nothing is. */
function taken(
  kind: string,
  object: { readonly metadata: ObjectMeta } | undefined,
  owner: Owner,
): string | undefined {
  if (object === undefined || owner.owns(object)) return undefined;
  return `${belongs(object.metadata.labels)} ${kind}`;
}

function belongs(labels: StringMap = {}): string {
  const cluster = labels[label.cluster];
  return labels[label.mirrored] === "true" && cluster !== undefined
    ? `cluster ${cluster}'s mirror, the`
    : "a foreign";
}
