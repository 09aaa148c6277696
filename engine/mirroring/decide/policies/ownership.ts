import {
  isHeadless,
  namespaceOf,
  objectKey,
  type ObjectKey,
  type ObjectMeta,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import { type Mirror, mirrorKey, type MirrorKind } from "../../model/mirror.ts";
import { federated, type Owner } from "../../model/owner.ts";
import type { Why } from "../../model/reasons.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { label } from "../../model/vocabulary.ts";
import { marksOn } from "../../model/marks.ts";
import type { HandOver, LiveMirror } from "../decision.ts";
import type { Refusal } from "./rules.ts";

/** Lists everything that an owner has in the source, including Endpoints that have lost their Service. */
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

/** Derives the kind of a live mirror from its labels. */
export function liveKind({ service, endpoints }: LiveMirror): MirrorKind {
  const labels = service?.metadata.labels ?? endpoints?.metadata.labels ?? {};
  if (labels[label.headlessRoot] !== undefined) return "endpoint";
  if (labels[label.remoteDiscovery] !== undefined) return "discovery";
  if (service !== undefined && federated.owns(service)) return "federated";
  return service !== undefined && isHeadless(service) ? "headless" : "gateway";
}

/** Returns the mirror that a live object belongs to: for an endpoint mirror its headless mirror. */
export function rootOf(key: ObjectKey, { service, endpoints }: LiveMirror): ObjectKey {
  const root = (service ?? endpoints)?.metadata.labels?.[label.headlessRoot];
  return root === undefined ? key : objectKey(namespaceOf(key), root);
}

/** Returns the Service's ClusterIP; a headless Service has none. */
export function addressOf(service: Service | undefined): string | undefined {
  const { clusterIP = "" } = service?.spec ?? {};
  return clusterIP === "" || clusterIP === "None" ? undefined : clusterIP;
}

/** The rights of this stack on the mirrors of one link (docs/decisions/0020-one-ownership-rule.md). */
export interface Authority {
  /** Marks under these names are this stack's, the current one first. */
  readonly names: readonly string[];
  /** Whether the link covers a namespace; a link that is no longer in the config covers none. */
  readonly covers: (namespace: string) => boolean;
  /** Whether an unmarked mirror in such a namespace is deleted if no link wants it. */
  readonly deletesUnmarked: boolean;
  /** The new owner, if the link is handed over: no mirror is deleted, and this stack's marks are removed. */
  readonly successor?: string;
}

/** Decides about a live mirror that no link wants. */
export function fateOf(
  mirror: LiveMirror,
  { names, covers, deletesUnmarked, successor }: Authority,
): { readonly verdict: "delete" } | Pick<HandOver, "verdict" | "keeper" | "mark"> {
  const { namespace, ...metadata } = metaOf(mirror);
  const { isOurs, others } = marksOn(metadata, names);
  const keeper = successor ?? (others.length > 0 ? `stack ${others.join(", ")}` : undefined);
  if (keeper !== undefined) {
    const releases = isOurs && mirror.service !== undefined;
    return { verdict: "handOver", keeper, ...(releases && { mark: "release" }) };
  }
  return isOurs || (deletesUnmarked && covers(namespace))
    ? { verdict: "delete" }
    : { verdict: "handOver" };
}

/**
 * Finds mirrors whose name is taken by an object of another owner, by another stack's mirror, or by an object that is
 * being deleted and so can be neither written nor created.
 *
 * @param names of the stack, for mirrors of a link
 */
export function unwritable(
  mirrors: readonly Mirror[],
  source: ClusterSnapshot,
  owner: Owner,
  names?: readonly string[],
): Refusal[] {
  return mirrors.flatMap((mirror) => {
    const why = whyUnwritable(mirror, source, owner) ?? heldByOthers(mirror, source, names);
    return why === undefined ? [] : [{ mirror, ...why }];
  });
}

function heldByOthers(
  mirror: Mirror,
  { cluster, services }: ClusterSnapshot,
  names: readonly string[] | undefined,
): Why | undefined {
  const key = mirrorKey(mirror);
  const service = services.get(key);
  if (service === undefined || names === undefined) return undefined;
  const { isOurs, others } = marksOn(service.metadata, names);
  const isReplaced = isHeadless(service) !== (mirror.kind === "headless");
  if (others.length === 0 || (isOurs && !isReplaced)) return undefined;
  return { reason: "NotOurs", sentence: anothersMirror(`${cluster}/${key}`, others) };
}

/** The sentence for a cluster whose answers lack managedFields. */
export function marksHidden(source: string): string {
  return `cluster ${source} answers without managedFields, by which mirrors of this stack are told from those of others, so no mirror is deleted there: see what its context leads to (a proxy that shortens answers, say)`;
}

/** The sentence for a mirror that another stack has made and keeps. */
export function anothersMirror(where: string, others: readonly string[]): string {
  return `the mirror ${where} is stack ${others.join(", ")}'s: take its link or its namespace out of one of the two stacks, or let this one take over with adoptFrom on the link`;
}

function whyUnwritable(mirror: Mirror, source: ClusterSnapshot, owner: Owner): Why | undefined {
  const key = mirrorKey(mirror);
  const { cluster } = source;
  const service = source.services.get(key);
  // Kubernetes creates Endpoints for a federated Service if somebody gives it a selector. They carry no labels of
  // ours and must not prevent the selector from being removed.
  const isHarmless = mirror.kind === "federated" && service !== undefined;
  const objects = {
    Service: service,
    Endpoints: isHarmless ? undefined : source.endpoints.get(key),
  };
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

export function metaOf({ service, endpoints }: LiveMirror): ObjectMeta {
  return (service ?? endpoints)?.metadata ?? { name: "", namespace: "" };
}
