import {
  isHeadless,
  malformed,
  objectKey,
  type ObjectKey,
  type ObjectMeta,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import { type Mirror, mirrorKey, type MirrorKind } from "../../model/mirror.ts";
import { federated, type Owner } from "../../model/owner.ts";
import { malformedObject, type Why } from "../../model/reasons.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { label } from "../../model/vocabulary.ts";
import type { LiveMirror } from "../decision.ts";
import type { Refusal } from "./rules.ts";

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
export function liveKind({ service, endpoints }: LiveMirror): MirrorKind {
  const labels = service?.metadata.labels ?? endpoints?.metadata.labels ?? {};
  if (labels[label.headlessRoot] !== undefined) return "endpoint";
  if (labels[label.remoteDiscovery] !== undefined) return "discovery";
  if (service !== undefined && federated.owns(service)) return "federated";
  return service !== undefined && isHeadless(service) ? "headless" : "gateway";
}

/** The mirror that a live object belongs to: for an endpoint mirror its headless mirror. */
export function rootOf(key: ObjectKey, { service, endpoints }: LiveMirror): ObjectKey {
  const root = (service ?? endpoints)?.metadata.labels?.[label.headlessRoot];
  return root === undefined ? key : objectKey(key.slice(0, key.indexOf("/")), root);
}

/** The IP by which a Service answers inside its cluster; a headless one has none. */
export function addressOf(service: Service | undefined): string | undefined {
  const { clusterIP = "" } = service?.spec ?? {};
  return clusterIP === "" || clusterIP === "None" ? undefined : clusterIP;
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
  return mirrors.flatMap((mirror) => {
    const why = whyUnwritable(mirror, source, owner);
    return why === undefined ? [] : [{ mirror, ...why }];
  });
}

function whyUnwritable(mirror: Mirror, source: ClusterSnapshot, owner: Owner): Why | undefined {
  const key = mirrorKey(mirror);
  const { cluster } = source;
  const service = source.services.get(key);
  // Nobody looks at the Endpoints of a federated Service: those that Kubernetes makes under ours when
  // somebody gives it a selector carry nothing of us, and must not keep the selector from going.
  const isHarmless = mirror.kind === "federated" && service !== undefined;
  const objects = {
    Service: service,
    Endpoints: isHarmless ? undefined : source.endpoints.get(key),
  };
  for (const [kind, object] of Object.entries(objects))
    if (object?.[malformed] !== undefined) return malformedObject(cluster, kind, object[malformed]);
  for (const [kind, object] of Object.entries(objects))
    if (object !== undefined && !owner.owns(object))
      return {
        reason: "NotOurs",
        sentence: `${cluster} already has ${belongs(object.metadata)} ${kind} ${key}: rename or delete it, or rename what is exported`,
      };
  if (service?.metadata.deletionTimestamp === undefined) return undefined;
  return {
    reason: "BeingDeleted",
    sentence: `the Service ${key} on ${cluster} is being deleted and a finalizer holds it: have it removed and run again`,
  };
}

function belongs({ labels = {} }: ObjectMeta): string {
  const cluster = labels[label.cluster];
  return labels[label.mirrored] === "true" && cluster !== undefined
    ? `cluster ${cluster}'s mirror, the`
    : "a foreign";
}
