import {
  isHeadless,
  keyOf,
  namespaceOf,
  type ObjectMeta,
} from "../../../kubernetes/objects/objects.ts";
import { anothersMirror, marksOn } from "../../../model/marks.ts";
import type { Deletion } from "../../../model/decision.ts";
import { metaOf, originOf } from "../../../model/live-mirrors.ts";
import { type Mirror, mirrorKey } from "../../../model/mirror.ts";
import { federatedPart, type Owner, ownerOf } from "../../../model/owner.ts";
import type { Why } from "../../../model/reasons.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import { label } from "../../../model/vocabulary.ts";
import type { FreedNames } from "./freed-names.ts";
import { type Refusal, whyHead } from "./rules.ts";

export interface NameClaim {
  readonly part: string;
  readonly mirror: Mirror;
}

/**
 * Finds mirrors that may not have their names.
 * A name means one thing, whoever exports what and whoever was first: `web-eu-west` belongs to cluster `eu-west`, and
 * never to `web-eu` of cluster `west`, which could otherwise take it on purpose. So names can collide only within one
 * target. An existing mirror keeps its name. Of pod `db-0` and Service `db-0` in one namespace, the pod gets it: operators
 * make such Services, and without the pod's mirror a headless mirror lacks a member. Otherwise nobody gets the name, so
 * that the result doesn't depend on an order.
 *
 * @param targets whose mirrors have Linkerd's names, including those that are unreachable or mirrored by others
 */
export function colliding(
  claims: readonly NameClaim[],
  source: ClusterSnapshot,
  targets: readonly string[],
): (Refusal & NameClaim)[] {
  const reason = "CollidingName";
  const refused: (Refusal & NameClaim)[] = [];
  const rightful = claims.filter((claim) => {
    const of = rightfulOwner(claim, targets);
    if (of === undefined || holds(claim, source)) return true;
    const sentence = `${words(claim)} would be named ${mirrorKey(claim.mirror)} on ${source.cluster}, and names that end in -${of} are for the mirrors of cluster ${of}: rename it`;
    refused.push({ ...claim, reason, sentence });
    return false;
  });
  for (const [key, rivals] of Map.groupBy(rightful, ({ mirror }) => mirrorKey(mirror))) {
    if (rivals.length === 1) continue;
    const pair = podAndService(rivals);
    const holder = rivals.find((claim) => holds(claim, source)) ?? pair?.pod;
    const wanted = rivals.map(words).sort().join(" and ");
    const all = rivals.length === 2 ? "both" : "all";
    for (const claim of rivals) {
      if (claim === holder) continue;
      const sentence =
        pair === undefined
          ? `${wanted} would ${all} be named ${key} on ${source.cluster}: rename one of them`
          : `${key} on ${source.cluster} is the mirror of ${words(claim === pair.pod ? pair.service : pair.pod)}, so ${words(claim)} has none: to change that, or to end this message, take the Service ${pair.service.mirror.origin} out of the export, by its label or the link's selector`;
      refused.push({ ...claim, reason, sentence });
    }
  }
  return refused;
}

/** Another namespace may belong to somebody else, who must not take the name on purpose. */
function podAndService(rivals: readonly NameClaim[]) {
  const pod = rivals.find(({ mirror }) => mirror.hostname !== undefined);
  const service = rivals.find(({ mirror }) => mirror.hostname === undefined);
  if (pod === undefined || service === undefined || rivals.length > 2) return undefined;
  const isSame =
    pod.part === service.part &&
    namespaceOf(pod.mirror.origin) === namespaceOf(service.mirror.origin);
  return isSame ? { pod, service } : undefined;
}

/** Returns the cluster with the longest name that fits the end of this mirror's name, if it is another one. */
function rightfulOwner(
  { part, mirror }: NameClaim,
  targets: readonly string[],
): string | undefined {
  const isOwnSuffix = part === federatedPart || mirror.name.endsWith(`-${part}`);
  return targets
    .filter((target) => target !== part && (!isOwnSuffix || target.endsWith(`-${part}`)))
    .filter((target) => mirror.name.endsWith(`-${target}`))
    .sort((a, b) => b.length - a.length)
    .at(0);
}

function holds({ mirror, part }: NameClaim, source: ClusterSnapshot): boolean {
  const key = mirrorKey(mirror);
  const live = source.services.get(key);
  if (live === undefined || !ownerOf(part).owns(live)) return false;
  const { service, pod } = originOf(key, { service: live });
  return service === mirror.origin && pod === mirror.hostname;
}

function words({ mirror, part }: NameClaim): string {
  if (part === federatedPart) return `the federated Service of ${mirror.origin}`;
  const what = mirror.hostname === undefined ? "" : `pod ${mirror.hostname} of `;
  return `${what}${mirror.origin} of cluster ${part}`;
}

/**
 * Finds mirrors whose name is taken by another owner's object or another stack's mirror, or by an object that is being
 * deleted and so can be neither written nor created.
 *
 * @param names of the stack, for mirrors of a link
 */
export function unwritable(
  mirrors: readonly Mirror[],
  source: ClusterSnapshot,
  owner: Owner,
  freed: FreedNames,
  names?: readonly string[],
): Refusal[] {
  return mirrors.flatMap((mirror) => {
    const given = freed.get(mirrorKey(mirror));
    const owners = [owner, ...(mayTake(given, names) ? [ownerOf(given.part)] : [])];
    const why = whyUnwritable(mirror, source, owners, names) ?? heldByOthers(mirror, source, names);
    return why === undefined ? [] : [{ mirror, ...why }];
  });
}

/** Another stack or a tenant may have marked the mirror too, and its labels are then theirs as well. */
function mayTake(
  given: Deletion | undefined,
  names: readonly string[] | undefined,
): given is Deletion {
  if (given === undefined || names === undefined) return false;
  const { isOurs, others } = marksOn(metaOf(given.live), names);
  return isOurs && others.length === 0;
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
  return {
    reason: "NotOurs",
    sentence: anothersMirror(`${cluster}/${key}`, others),
    // Marks of earlier versions don't name the organization, and adoptFrom needs it.
    ...(others.every((name) => name.split("/").length === 3) && {
      fix: `adoptFrom: [${others.join(", ")}]`,
    }),
  };
}

function whyUnwritable(
  mirror: Mirror,
  source: ClusterSnapshot,
  owners: readonly Owner[],
  names: readonly string[] = [],
): Why | undefined {
  const key = mirrorKey(mirror);
  const { cluster } = source;
  const service = source.services.get(key);
  // Kubernetes creates Endpoints for a federated Service if somebody gives it a selector. They carry no labels of ours
  // and must not prevent the selector from being removed.
  const isHarmless = mirror.kind === "federated" && service !== undefined;
  const objects = {
    Service: service,
    Endpoints: isHarmless ? undefined : source.endpoints.get(key),
  };
  const unread =
    whyHead(cluster, "Service", service) ?? whyHead(cluster, "Endpoints", objects.Endpoints);
  if (unread !== undefined) return { reason: "TooLarge", sentence: unread };
  for (const [kind, object] of Object.entries(objects))
    if (object !== undefined && !owners.some(({ owns }) => owns(object)))
      return {
        reason: "NotOurs",
        sentence:
          ownMirror(cluster, object, names) ??
          `${cluster} already has ${belongs(object.metadata)} ${kind} ${key}: rename or delete it, or rename what is exported`,
      };
  if (service?.metadata.deletionTimestamp === undefined) return undefined;
  return {
    reason: "BeingDeleted",
    sentence: `the Service ${key} on ${cluster} is being deleted, but a finalizer keeps it: remove the finalizer and run again`,
    fix: {
      cluster,
      kubectl: `--namespace ${mirror.namespace} patch service ${mirror.name} --type merge --patch '{"metadata":{"finalizers":null}}'`,
    },
  };
}

/** The link to that cluster keeps it, or deletes it in this run. */
function ownMirror(
  cluster: string,
  { metadata }: { readonly metadata: ObjectMeta },
  names: readonly string[],
): string | undefined {
  const { [label.cluster]: target } = metadata.labels ?? {};
  if (target === undefined || !marksOn(metadata, names).isOurs) return undefined;
  return `${keyOf({ metadata })} on ${cluster} is still this stack's mirror of cluster ${target}: run again once it is gone, or see why its link keeps it`;
}

function belongs({ labels = {} }: ObjectMeta): string {
  const cluster = labels[label.cluster];
  return labels[label.mirrored] === "true" && cluster !== undefined
    ? `cluster ${cluster}'s mirror, the`
    : "a foreign";
}
