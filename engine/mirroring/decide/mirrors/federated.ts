import {
  namespaceOf,
  type ObjectKey,
  type ObjectMeta,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import { mayExist } from "../../../model/controller.ts";
import { originOf } from "../../../model/live-mirrors.ts";
import { localMember, marksOn, othersAmong } from "../../../model/marks.ts";
import type { Drain } from "../../../model/drain.ts";
import { copiedAnnotations, copiedLabels } from "../../../model/metadata.ts";
import { type Mirror, mirroredPorts } from "../../../model/mirror.ts";
import { federated } from "../../../model/owner.ts";
import type { Skip } from "../../../model/reasons.ts";
import {
  annotation,
  clusterOfToken,
  federatedKey,
  federatedName,
  label,
  tokensIn,
} from "../../../model/vocabulary.ts";
import { narrowingOf, othersNarrowing } from "../../../model/narrowing.ts";
import { whyExcluded } from "../../../model/selection.ts";
import {
  type FederatedClaim,
  type FederatedClaims,
  type MemberClaim,
  settle,
  staysListed,
} from "../../../model/federated-claim.ts";
import { drainOf } from "./drained-members.ts";
import { type Joining, joiningMembers } from "./joining.ts";
import { type AgeOf, agesOfLinks, rankOf } from "./precedence.ts";
import {
  type FederatedView,
  type Member,
  membership,
  nameOf,
  portConflicts,
  type PortConflicts,
} from "./members.ts";

export interface DesiredFederated {
  /** Includes those that a member of this stack leaves. */
  readonly mirrors: readonly Mirror[];
  readonly claims: FederatedClaims;
  readonly skips: readonly Skip[];
  readonly conflicts: PortConflicts;
  readonly drains: readonly Drain[];
}

/**
 * Plans the federated Services of one cluster (linkerd-behaviour.md 4): the members that this stack lists, those it
 * removes, and those that are others' to list.
 */
export function desiredFederated(view: FederatedView): DesiredFederated {
  const { members, undecided, drained, ...found } = membership(view);
  const skips = [...found.skips];
  const live = new Map(
    [...view.source.services].flatMap(([key, service]) => {
      const origin = federated.owns(service) ? originOf(key, { service }).service : undefined;
      return origin === undefined ? [] : [[origin, service] as const];
    }),
  );
  const age = agesOfLinks(view.source);
  const conflicts: Record<ObjectKey, string> = {};
  const claims = new Map<ObjectKey, FederatedClaim>();
  const drains: Drain[] = [];
  const origins = [...new Set([...members.keys(), ...live.keys()])].sort();
  const mirrors = origins.flatMap((origin) => {
    const inOrder = (members.get(origin) ?? []).toSorted((a, b) =>
      rankOf(a.cluster, age) < rankOf(b.cluster, age) ? -1 : 1,
    );
    const there = live.get(origin);
    const held = undecided.get(origin) ?? [];
    const leaving = drained.get(origin) ?? [];
    const without = claimOn(origin, inOrder, held, there, view, age);
    const drain = drainOf(without.claim, leaving, there, view);
    if (drain !== undefined) drains.push(drain);
    const { joining, refused, claim } =
      drain?.state === "unavailable"
        ? claimOn(origin, inOrder, [...held, ...leaving], there, view, age, view.drained)
        : without;
    skips.push(
      ...refused.map(({ member: { cluster, service }, ...why }) => ({
        origin,
        cluster: cluster ?? view.source.cluster,
        mirror: federatedName(service.metadata.name),
        ...why,
      })),
    );
    if (claim.members.length === 0) return [];
    const { mirror } = settle(claim, there);
    claims.set(federatedKey(origin), claim);
    Object.assign(conflicts, portConflicts(origin, joining, inOrder, view.source.cluster));
    return mirror === undefined ? [] : [mirror];
  });
  const held = new Set(drains.flatMap(({ key, state }) => (state === "unavailable" ? key : [])));
  const isMember = ({ reason, origin }: Skip) =>
    reason === "Drained" && held.has(federatedKey(origin));
  return { mirrors, claims, skips: skips.filter((skip) => !isMember(skip)), conflicts, drains };
}

interface ClaimOn extends Omit<Joining, "narrowing"> {
  readonly claim: FederatedClaim;
}

function claimOn(
  origin: ObjectKey,
  candidates: readonly Member[],
  undecided: readonly Member[],
  live: Service | undefined,
  view: FederatedView,
  age: AgeOf,
  kept: ReadonlySet<string> = new Set(),
): ClaimOn {
  const metadata: Partial<ObjectMeta> = live?.metadata ?? {};
  const { annotations = {} } = metadata;
  const remote = tokensIn(annotations).map(clusterOfToken);
  const listed = new Set([
    ...(annotations[annotation.localMember] === undefined ? [] : [localMember]),
    ...remote,
  ]);
  const held = new Set([...undecided.map(nameOf), ...kept]);
  const known = new Set(candidates.map(nameOf));
  const claimOf = (cluster: string, isWanted: boolean) =>
    memberClaim(cluster, isWanted, held.has(cluster), origin, view, metadata);
  const others = [...listed].filter((cluster) => !known.has(cluster));
  const staying = others.map((cluster) => ({ cluster, claim: claimOf(cluster, false) }));
  const found = joiningMembers(candidates, undecided, {
    live,
    isListed: (cluster) => listed.has(cluster),
    hasOthers: staying.some(({ claim }) => claim === undefined || staysListed(claim, metadata)),
    own: narrowingOf(metadata, view.stacks[0] ?? ""),
    keepsOwn: staying.some(
      ({ cluster, claim }) => claim?.stance === "unknown" && !held.has(cluster),
    ),
    others: othersNarrowing(metadata, listed, (cluster) => namesFor(cluster, view, metadata)),
    isShared: (cluster) =>
      listed.has(cluster) &&
      marksOn(metadata, namesFor(cluster, view, metadata), cluster).others.length > 0,
  });
  const { joining, refused, narrowing } = found;
  // What others say may not throw out a member.
  for (const { member, reason } of refused) if (reason === "NoCommonPort") held.add(nameOf(member));
  const wanted = new Set(joining.map(nameOf));
  // Members follow the order of the links; listed ones keep their places.
  const own = [localMember, ...view.links.map(({ link }) => link.target)];
  const clusters = new Set([...own.filter((cluster) => wanted.has(cluster)), ...listed]);
  const members = [...clusters].flatMap((cluster) => claimOf(cluster, wanted.has(cluster)) ?? []);
  const [first] = joining;
  const isUnknown = new Map(members.map(({ cluster, stance }) => [cluster, stance === "unknown"]));
  const preceding = remote.filter((cluster) => {
    if (isUnknown.get(cluster) === true && !held.has(cluster)) return true;
    // If the age of its link is unknown, a member counts only if another stack has marked it.
    const isVouchedFor = marksOn(metadata, view.stacks, cluster).others.length > 0;
    const mayPrecede = age(cluster) !== undefined || isVouchedFor;
    return mayPrecede && rankOf(cluster, age) < rankOf(first?.cluster, age);
  });
  const claim = {
    origin,
    stacks: view.stacks,
    members,
    preceding,
    narrowing,
    ...(first !== undefined && { details: detailsOf(first) }),
  };
  return { joining, refused, claim };
}

/**
 * What a link adopts from another stack counts for its own members until this stack has marked them. Stacks that both want
 * a member would otherwise take it from each other for ever.
 */
function namesFor(
  cluster: string,
  { links, stacks }: FederatedView,
  metadata: Partial<ObjectMeta>,
): readonly string[] {
  if (marksOn(metadata, stacks, cluster).isOurs) return stacks;
  const current = links.find(({ link }) => link.target === cluster);
  return [...stacks, ...othersAmong(current?.link.adoptFrom ?? [], stacks)];
}

function detailsOf({ service, metadataRules }: Member): NonNullable<FederatedClaim["details"]> {
  return {
    labels: { ...copiedLabels(service, ...metadataRules), [label.mirrored]: "true" },
    annotations: copiedAnnotations(service, ...metadataRules),
    ports: mirroredPorts(service),
  };
}

/** Returns undefined if a member that is listed is not this stack's to judge. */
function memberClaim(
  cluster: string,
  isWanted: boolean,
  isHeld: boolean,
  origin: ObjectKey,
  view: FederatedView,
  metadata: Partial<ObjectMeta>,
): MemberClaim | undefined {
  if (cluster === localMember) return localClaim(isWanted, isHeld, origin, view, metadata);
  if (view.isDoubtful?.(cluster, federatedKey(origin)) === true) return undefined;
  const claim = { cluster, names: view.stacks };
  const current = view.links.find(({ link }) => link.target === cluster);
  if (current !== undefined) {
    const { link, target } = current;
    if (isWanted) return { ...claim, names: namesFor(cluster, view, metadata), stance: "wanted" };
    const isUnread = target === undefined && !view.drained.has(cluster);
    if (isUnread || isHeld) return { ...claim, stance: "unknown" };
    const takesUnmarked =
      whyExcluded(namespaceOf(origin), link) === undefined && !mayExist(view.controllers, cluster);
    return { ...claim, stance: "unwanted", takesUnmarked };
  }
  const removed = view.removed.find(({ link }) => link.target === cluster);
  if (removed === undefined) return undefined;
  if (removed.disposition === "unknown") return { ...claim, stance: "unknown" };
  return { ...claim, stance: "unwanted", isLeft: removed.disposition === "handOver" };
}

/** Linkerd's local service mirror also lists the local member, if it is installed. */
function localClaim(
  isWanted: boolean,
  isHeld: boolean,
  origin: ObjectKey,
  { links, stacks, controllers }: FederatedView,
  metadata: Partial<ObjectMeta>,
): MemberClaim | undefined {
  const claim = { cluster: localMember, names: stacks };
  if (isWanted) return { ...claim, stance: "wanted" };
  if (isHeld) return { ...claim, stance: "unknown" };
  const isLeft = mayExist(controllers, undefined);
  const isCovered = links.some(({ link }) => whyExcluded(namespaceOf(origin), link) === undefined);
  const takesUnmarked = isCovered && !isLeft;
  // An earlier version marked the whole Service, so nobody knows whether the mark was meant for this member.
  if (!takesUnmarked && !marksOn(metadata, stacks, localMember).isOurs) return undefined;
  return { ...claim, stance: "unwanted", takesUnmarked, isLeft };
}
