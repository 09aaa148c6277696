import type { Mirror } from "../../model/mirror.ts";
import {
  keyOf,
  malformed,
  objectKey,
  type ObjectKey,
  type Service,
  type StringMap,
} from "../../../kubernetes/objects/objects.ts";
import { federated } from "../../model/owner.ts";
import type { Skip } from "../../model/reasons.ts";
import {
  annotation,
  clusterOfToken,
  federatedName,
  label,
  memberToken,
  tokensIn,
} from "../../model/vocabulary.ts";
import {
  type FederatedView,
  linkCreated,
  type Member,
  membership,
  portConflicts,
  type PortConflicts,
} from "./members.ts";
import { copiedAnnotations, copiedLabels, withheld } from "../../model/metadata.ts";
import { mirroredPorts } from "./service-mirrors.ts";

export interface DesiredFederated {
  /** Every federated Service that has a member of this stack's. */
  readonly mirrors: readonly Mirror[];
  /** Those that have members of others alone: nothing about them is this stack's to say. */
  readonly foreign: readonly ObjectKey[];
  readonly skips: readonly Skip[];
  readonly conflicts: PortConflicts;
}

/**
 * The federated Services of one cluster (linkerd-behaviour.md 4). One writer knows all members, so
 * the list is made anew each time: nobody who has left stays in it. Tokens of clusters that this
 * stack does not manage are somebody else's and stay.
 */
export function desiredFederated(view: FederatedView): DesiredFederated {
  const { members, skips } = membership(view);
  const live = liveFederated(view);
  const origins = [...new Set([...members.keys(), ...live.keys()])].sort();
  const conflicts: Record<ObjectKey, string> = {};
  const foreign: ObjectKey[] = [];
  const mirrors = origins.flatMap((origin) => {
    const joined = [...(members.get(origin) ?? [])].sort(byPrecedence);
    const existing = live.get(origin);
    if (
      joined.length === 0 &&
      existing !== undefined &&
      isForeign(existing.metadata.annotations, managedClusters(view, existing))
    ) {
      foreign.push(keyOf(existing));
      return [];
    }
    Object.assign(conflicts, portConflicts(origin, joined, view.source.cluster));
    const mirror = federatedMirror(origin, joined, existing, view);
    return mirror === undefined ? [] : [mirror];
  });
  return { mirrors, foreign, skips, conflicts };
}

/** The federated Services there are, by the Service that they unite. */
function liveFederated({ source }: Pick<FederatedView, "source">): Map<ObjectKey, Service> {
  const found = [...source.services.values()].filter(federated.owns);
  return new Map(found.map((service) => [originOf(service), service]));
}

function federatedMirror(
  origin: ObjectKey,
  members: readonly Member[],
  live: Service | undefined,
  view: FederatedView,
): Mirror | undefined {
  const tokens = tokensOf(members, live, view);
  const local = localName(origin, members, live, view);
  const details = metadata(members, local, live, view);
  if (tokens.length === 0 && local === undefined) return undefined;
  const [namespace = "", name = ""] = origin.split("/");
  return {
    kind: "federated",
    namespace,
    name: federatedName(name),
    origin,
    ...details,
    ...addMembers(details.annotations, tokens, local),
  };
}

/**
 * Labels, annotations and ports: the local member's, else those of the member whose Link is the
 * oldest. While that could be a member that is out of reach, or is one that Linkerd's controller
 * looks after, they stay as they are.
 */
function metadata(
  members: readonly Member[],
  local: string | undefined,
  live: Service | undefined,
  view: FederatedView,
): Pick<Mirror, "labels" | "annotations" | "ports" | "withheld"> {
  const [first] = members;
  const unsure =
    first === undefined ||
    (first.cluster !== undefined &&
      (local !== undefined ||
        tokensIn(live?.metadata.annotations ?? {}).some((token) =>
          comesBefore(clusterOfToken(token), first, live, view),
        )));
  if (live !== undefined && unsure) {
    const { labels = {}, annotations = {} } = live.metadata;
    return { labels, annotations, ports: mirroredPorts(live) };
  }
  if (first === undefined) return { labels: {}, annotations: {}, ports: [] };
  return {
    labels: { ...copiedLabels(first.service, first.excludes), [label.mirrored]: "true" },
    annotations: copiedAnnotations(first.service, first.excludes),
    ports: mirroredPorts(first.service),
    ...withheld(first.service, first.excludes),
  };
}

/** Never an empty list, which readers take for a member without a name. */
function addMembers(
  annotations: StringMap,
  tokens: readonly string[],
  local: string | undefined,
): Pick<Mirror, "annotations"> {
  const {
    [annotation.remoteMembers]: _tokens,
    [annotation.localMember]: _local,
    ...copied
  } = annotations;
  return {
    annotations: {
      ...copied,
      ...(tokens.length > 0 && { [annotation.remoteMembers]: tokens.join(",") }),
      ...(local !== undefined && { [annotation.localMember]: local }),
    },
  };
}

/** Name of the source's own member; one that can't be judged now is what the live object says it is. */
function localName(
  origin: ObjectKey,
  members: readonly Member[],
  live: Service | undefined,
  { source }: FederatedView,
): string | undefined {
  const local = members.find(({ cluster }) => cluster === undefined);
  if (local !== undefined) return local.service.metadata.name;
  return source.services.get(origin)?.[malformed] === undefined
    ? undefined
    : live?.metadata.annotations?.[annotation.localMember];
}

/** Tokens keep the places they have; new ones follow in the order of the links. */
function tokensOf(
  members: readonly Member[],
  live: Service | undefined,
  view: FederatedView,
): string[] {
  const managed = managedClusters(view, live);
  const order = view.links.map(({ link }) => link.target);
  const present = members
    .flatMap(({ cluster, service }) =>
      cluster === undefined ? [] : [{ cluster, name: service.metadata.name }],
    )
    .sort((a, b) => order.indexOf(a.cluster) - order.indexOf(b.cluster))
    .map(({ cluster, name }) => memberToken(name, cluster));
  const stays = (token: string) => {
    const cluster = clusterOfToken(token);
    return !managed.has(cluster) || isUnknown(view, live, cluster) || present.includes(token);
  };
  const kept = tokensIn(live?.metadata.annotations ?? {}).filter(stays);
  return [...new Set([...kept, ...present])];
}

/** Whether a listed cluster's member, which is not here to be asked, precedes the first that is. */
function comesBefore(
  cluster: string,
  { created }: Member,
  live: Service | undefined,
  view: FederatedView,
): boolean {
  if (managedClusters(view, live).has(cluster)) return isUnknown(view, live, cluster);
  const theirs = linkCreated(view.source, cluster);
  return theirs !== undefined && (created === undefined || theirs < created);
}

/**
 * Whether a federated Service is somebody else's: it lists remote members, and none of a cluster
 * that this stack links or has linked.
 */
export function isForeign(annotations: StringMap = {}, managed: ReadonlySet<string>): boolean {
  const tokens = tokensIn(annotations);
  return (
    annotations[annotation.localMember] === undefined &&
    tokens.length > 0 &&
    tokens.every((token) => !managed.has(clusterOfToken(token)))
  );
}

/** Clusters whose members are this stack's to list or to take out. */
function managedClusters(
  { links, retired, shared }: FederatedView,
  live: Service | undefined,
): ReadonlySet<string> {
  const isShared = live !== undefined && shared?.has(keyOf(live)) === true;
  return new Set([...links.map(({ link }) => link.target), ...(isShared ? [] : retired)]);
}

/** Whether a cluster can't say now if it has a member: out of reach, or with a malformed answer. */
function isUnknown(view: FederatedView, live: Service | undefined, cluster: string): boolean {
  const origin = live === undefined ? undefined : originOf(live);
  return view.links.some(
    ({ link, target }) =>
      link.target === cluster &&
      (target === undefined ||
        (origin !== undefined && target.services.get(origin)?.[malformed] !== undefined)),
  );
}

/** The Service that a federated one unites. */
function originOf({ metadata: { namespace, name } }: Service): ObjectKey {
  return objectKey(namespace, name.slice(0, -federatedName("").length));
}

/** The local member first, then by the age of the Link, then by name (4.3; ties flap in Linkerd). */
function byPrecedence(a: Member, b: Member): number {
  return compare(rank(a), rank(b));
}

function rank({ cluster, created }: Member): string {
  return cluster === undefined ? "" : `${created ?? "unknown"} ${cluster}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
