import {
  keyOf,
  malformed,
  objectKey,
  type ObjectKey,
  type Service,
  type StringMap,
} from "../../../kubernetes/objects/objects.ts";
import { copiedAnnotations, copiedLabels, withheld } from "../../model/metadata.ts";
import type { Mirror } from "../../model/mirror.ts";
import { federated } from "../../model/owner.ts";
import type { Skip } from "../../model/reasons.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
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
  type Member,
  membership,
  portConflicts,
  type PortConflicts,
} from "./members.ts";
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
  const owned = [...view.source.services.values()].filter(federated.owns);
  const live = new Map(owned.map((service) => [originOf(service), service]));
  const age = agesOfLinks(view.source);
  const conflicts: Record<ObjectKey, string> = {};
  const foreign: ObjectKey[] = [];
  const origins = [...new Set([...members.keys(), ...live.keys()])].sort();
  const mirrors = origins.flatMap((origin) => {
    const union = unionOf(origin, members.get(origin) ?? [], live.get(origin), view, age);
    if (union.members.length === 0 && isForeign(union.annotations, union.managed)) {
      foreign.push(objectKey(union.namespace, union.name));
      return [];
    }
    Object.assign(conflicts, portConflicts(origin, union.members, view.source.cluster));
    return federatedMirror(union, view, age);
  });
  return { mirrors, foreign, skips, conflicts };
}

/** When the Link resource of a target was created, RFC 3339; undefined where there is none to be read. */
type AgeOf = (target: string) => string | undefined;

function agesOfLinks({ links }: ClusterSnapshot): AgeOf {
  const all = [...(links?.values() ?? [])].map(({ metadata }) => metadata);
  const ages = new Map(all.map(({ name, creationTimestamp }) => [name, creationTimestamp]));
  return (target) => ages.get(target);
}

/** A federated Service with its members, as it is found and as far as these can be asked. */
interface Union extends Pick<Mirror, "namespace" | "name" | "origin" | "annotations"> {
  /** The local member first, then by the age of the Link, then by name (4.3; ties flap in Linkerd). */
  readonly members: readonly Member[];
  readonly live: Service | undefined;
  /** Name of the source's own member; one that can't be judged now is what the live object says it is. */
  readonly local: string | undefined;
  /** Clusters whose members are this stack's to list or to take out. */
  readonly managed: ReadonlySet<string>;
  /** Those that can't say now whether they have a member: out of reach, or with a malformed answer. */
  readonly silent: ReadonlySet<string>;
}

function unionOf(
  origin: ObjectKey,
  members: readonly Member[],
  live: Service | undefined,
  { source, links, retired, shared }: FederatedView,
  age: AgeOf,
): Union {
  const [namespace = "", service = ""] = origin.split("/");
  const name = federatedName(service);
  const { annotations = {} } = live?.metadata ?? {};
  const isShared = live !== undefined && shared?.has(keyOf(live)) === true;
  const isMalformed = ({ services }: ClusterSnapshot) =>
    services.get(origin)?.[malformed] !== undefined;
  const silent = links.filter(({ target }) => target === undefined || isMalformed(target));
  const isLocal = members.some(({ cluster }) => cluster === undefined);
  const said = isMalformed(source) ? annotations[annotation.localMember] : undefined;
  const rank = ({ cluster }: Member) =>
    cluster === undefined ? "" : `${age(cluster) ?? "unknown"} ${cluster}`;
  return {
    ...{ namespace, name, origin, live, annotations },
    members: members.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)),
    local: isLocal ? service : said,
    managed: new Set([...links.map(({ link }) => link.target), ...(isShared ? [] : retired)]),
    silent: new Set(silent.map(({ link }) => link.target)),
  };
}

function federatedMirror(union: Union, view: FederatedView, age: AgeOf): Mirror[] {
  const { namespace, name, origin, local } = union;
  const tokens = tokensOf(union, view);
  const details = detailsOf(union, age);
  if (details === undefined || (tokens.length === 0 && local === undefined)) return [];
  const {
    [annotation.remoteMembers]: _tokens,
    [annotation.localMember]: _local,
    ...copied
  } = details.annotations;
  return [
    {
      ...{ kind: "federated", namespace, name, origin },
      ...details,
      annotations: {
        ...copied,
        // Never an empty list, which readers take for a member without a name.
        ...(tokens.length > 0 && { [annotation.remoteMembers]: tokens.join(",") }),
        ...(local !== undefined && { [annotation.localMember]: local }),
      },
    },
  ];
}

/**
 * Labels, annotations and ports: the local member's, else those of the member whose Link is the
 * oldest. While that could be a member that is out of reach, or is one that Linkerd's controller
 * looks after, they stay as they are.
 */
function detailsOf(
  { members: [first], live, local, annotations, managed, silent }: Union,
  age: AgeOf,
): Pick<Mirror, "labels" | "annotations" | "ports" | "withheld"> | undefined {
  /** Whether a listed member, which is not here to be asked, precedes the first that is. */
  const precedes = (token: string) => {
    const cluster = clusterOfToken(token);
    if (managed.has(cluster)) return silent.has(cluster);
    const [theirs, own] = [age(cluster), age(first?.cluster ?? "")];
    return theirs !== undefined && (own === undefined || theirs < own);
  };
  const isSure =
    first !== undefined &&
    (first.cluster === undefined || (local === undefined && !tokensIn(annotations).some(precedes)));
  if (live !== undefined && !isSure)
    return { labels: live.metadata.labels ?? {}, annotations, ports: mirroredPorts(live) };
  if (first === undefined) return undefined;
  const { service, excludes } = first;
  return {
    labels: { ...copiedLabels(service, excludes), [label.mirrored]: "true" },
    annotations: copiedAnnotations(service, excludes),
    ports: mirroredPorts(service),
    ...withheld(service, excludes),
  };
}

/** Tokens keep the places they have; new ones follow in the order of the links. */
function tokensOf(
  { members, annotations, managed, silent }: Union,
  { links }: FederatedView,
): string[] {
  const present = links.flatMap(({ link: { target } }) =>
    members.flatMap(({ cluster, service }) =>
      cluster === target ? [memberToken(service.metadata.name, target)] : [],
    ),
  );
  const kept = tokensIn(annotations).filter((token) => {
    const cluster = clusterOfToken(token);
    return !managed.has(cluster) || silent.has(cluster) || present.includes(token);
  });
  return [...new Set([...kept, ...present])];
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

/** The Service that a federated one unites. */
function originOf({ metadata: { namespace, name } }: Service): ObjectKey {
  return objectKey(namespace, name.slice(0, -federatedName("").length));
}
