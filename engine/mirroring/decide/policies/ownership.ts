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

/** All that an owner has in the source, Endpoints that have lost their Service included. */
export function liveMirrors(
  source: ClusterSnapshot,
  owner: Pick<Owner, "owns">,
): Map<ObjectKey, LiveMirror> {
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
  return root === undefined ? key : objectKey(namespaceOf(key), root);
}

/** The IP by which a Service answers inside its cluster; a headless one has none. */
export function addressOf(service: Service | undefined): string | undefined {
  const { clusterIP = "" } = service?.spec ?? {};
  return clusterIP === "" || clusterIP === "None" ? undefined : clusterIP;
}

/** What this stack may do to the mirrors of one link (docs/decisions/0020-one-ownership-rule.md). */
export interface Authority {
  /** Marks by these names are this stack's, the present one first. */
  readonly names: readonly string[];
  /** Whether the link is about that namespace; a link that is no longer in the config is about none any more. */
  readonly covers: (namespace: string) => boolean;
  /** Whether an unmarked mirror in such a namespace goes where nobody asks for it. */
  readonly deletesUnmarked: boolean;
  /** Who mirrors the link from now on: no mirror goes, and this stack's marks come off. */
  readonly successor?: string;
}

/** What becomes of a live mirror that nobody asks for. */
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
 * Mirrors whose name is held by something that is not their owner's or by another stack's mirror, or that is on its
 * way out and so can neither be written nor be made anew.
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

/** The sentence for a cluster whose answers do not say who has written what. */
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
  // Nobody looks at the Endpoints of a federated Service: those that Kubernetes makes under ours when
  // somebody gives it a selector carry nothing of us, and must not keep the selector from going.
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

/** Of a live mirror, which consists of at least one of the two. */
export function metaOf({ service, endpoints }: LiveMirror): ObjectMeta {
  return (service ?? endpoints)?.metadata ?? { name: "", namespace: "" };
}
