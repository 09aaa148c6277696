import { namespaceOf, objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { marksOn, sameManagers } from "../../model/marks.ts";
import { type Mirror, mirrorKey, type LiveMirror } from "../../model/mirror.ts";
import { ownerOf } from "../../model/owner.ts";
import { reasons, type Skip } from "../../model/reasons.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { type Decision, type Deletion, isWanted, type Wanted } from "../../model/decision.ts";
import type { AddressOf } from "../../model/canonical.ts";
import { endpointsFields, mustReplace, serviceFields } from "../../model/difference.ts";
import {
  type FederatedClaim,
  type FederatedClaims,
  fieldsOfMembers,
  settle,
} from "../../model/federated-claim.ts";
import { colliding, unwritable } from "./policies/collisions.ts";
import { addressOf, liveKind, liveMirrors, metaOf, rootOf } from "../../model/live-mirrors.ts";
import { succession } from "./policies/former-names.ts";
import { type FreedNames, freedNames, noneFreed, withTakers } from "./policies/freed-names.ts";
import { type Authority, fateOf } from "./policies/ownership.ts";
import { refuse, type Refusal } from "./policies/rules.ts";

export interface WantedPart {
  readonly part: string;
  readonly mirrors: readonly Mirror[];
  readonly skips: readonly Skip[];
  readonly authority?: Authority;
  readonly claims?: FederatedClaims;
}

/**
 * Decides about each object, part by part: first the mirrors sorted by key, then the skipped Services.
 *
 * @param targets of all links into the source
 * @param stays returns whether a mirror stays where it is, whatever its link decides
 */
export function compareAll(
  wanted: readonly WantedPart[],
  source: ClusterSnapshot,
  targets: readonly string[],
  stays: (decision: Deletion) => boolean,
): Decision[] {
  const claims = wanted.flatMap(({ part, mirrors }) => mirrors.map((mirror) => ({ part, mirror })));
  const collisions = Map.groupBy(colliding(claims, source, targets), ({ part }) => part);
  const compareParts = (freed: FreedNames) =>
    wanted.flatMap((each) => comparePart(each, collisions.get(each.part) ?? [], source, freed));
  const decisions = compareParts(noneFreed);
  const freed = freedNames(decisions, claims, stays);
  return freed.size === 0 ? decisions : withTakers(compareParts(freed), freed);
}

/**
 * Deletes a live mirror that no link wants only if it is provably this stack's alone. The mirror is kept if the skip of
 * its exported Service says that nothing can be concluded now, and left to its owner otherwise.
 */
function comparePart(
  { part, mirrors, skips, authority, claims }: WantedPart,
  collisions: readonly Refusal[],
  source: ClusterSnapshot,
  freed: FreedNames,
): Decision[] {
  const owner = ownerOf(part);
  const unclaimed = refuse(mirrors, collisions);
  const names = authority?.takes;
  const refusals = unwritable(unclaimed.mirrors, source, owner, freed, names);
  const free = refuse(unclaimed.mirrors, refusals);
  const skipped = [...skips, ...unclaimed.skips, ...free.skips].map((skip) => ({
    verdict: "skip" as const,
    part,
    key: objectKey(skip.namespace ?? namespaceOf(skip.origin), skip.mirror),
    ...skip,
  }));
  const live = liveMirrors(source, owner);
  const liveOr = (key: ObjectKey) => live.get(key) ?? freed.get(key)?.live ?? {};
  const wanted = free.mirrors.map((mirror) => {
    const key = mirrorKey(mirror);
    const decision = decideWanted(part, mirror, liveOr(key), (name) =>
      addressOf(liveOr(name).service),
    );
    const claim = claims?.get(key);
    return claim === undefined ? withMark(decision, names ?? []) : withClaim(decision, claim);
  });
  const asked = new Set(wanted.map(({ key }) => key));
  const undecided = new Set(
    skipped.flatMap(({ reason, key }) => (reasons[reason].keeps ? [key] : [])),
  );
  const successionOf = succession(
    wanted.filter(isWanted),
    skipped,
    authority?.deletesFormerNamesAtOnce === true,
  );
  const others = [...live].flatMap(([key, mirror]): Decision[] => {
    if (asked.has(key)) return [];
    const common = { part, key, kind: liveKind(mirror), live: mirror, fields: [] };
    const claim = claims?.get(key);
    const fate =
      authority === undefined
        ? { verdict: claim === undefined ? ("handOver" as const) : ("delete" as const) }
        : fateOf(mirror, authority);
    if (fate.verdict === "handOver") return [{ ...common, ...fate }];
    const { successor, awaited } = successionOf(key, mirror);
    if (awaited !== undefined) return [{ verdict: "keep", ...common, successor: awaited }];
    // A federated Service is decided member by member.
    const isUndecided =
      claim === undefined
        ? undecided.has(key) || undecided.has(rootOf(key, metaOf(mirror)))
        : settle(claim, mirror.service).mirror !== undefined;
    const stays = isUndecided || mirror.service?.metadata.deletionTimestamp !== undefined;
    if (stays) return [{ verdict: "keep", ...common }];
    return [{ verdict: "delete", ...common, ...omitUndefined({ claim, successor }) }];
  });
  return [...[...wanted, ...others].sort((a, b) => (a.key < b.key ? -1 : 1)), ...skipped];
}

function decideWanted(
  part: string,
  wanted: Mirror,
  live: LiveMirror,
  addressOf: AddressOf,
): Wanted {
  const common = { part, kind: wanted.kind, key: mirrorKey(wanted), live, wanted };
  if (live.service === undefined) return { verdict: "create", fields: [], ...common };
  const fields = [
    ...serviceFields(live.service, wanted),
    ...endpointsFields(live.endpoints, wanted, addressOf),
  ];
  if (fields.length === 0) return { verdict: "keep", fields, ...common };
  return { verdict: mustReplace(fields) ? "replace" : "update", fields, ...common };
}

function withMark(decision: Wanted, names: readonly string[]): Wanted {
  const { metadata } = decision.live.service ?? {};
  if (metadata === undefined || decision.verdict === "replace") return decision;
  const [stack = ""] = names;
  const isMarked = marksOn(metadata, [stack]).isOurs && !marksOn(metadata, names.slice(1)).isOurs;
  return isMarked ? decision : { ...decision, mark: "confirm" };
}

/** A federated Service belongs to others once this stack's members have left it. */
function withClaim(decision: Wanted, claim: FederatedClaim): Decision {
  const { managedFields, isOurs } = settle(claim, decision.live.service);
  const isMarked = sameManagers(decision.live.service?.metadata.managedFields, managedFields);
  if (isOurs) return { ...decision, claim, ...(!isMarked && { mark: "confirm" as const }) };
  const { part, key, kind, live, wanted } = decision;
  const fields = fieldsOfMembers(decision.fields);
  if (fields.length > 0)
    return { verdict: "update", part, key, kind, live, wanted, fields, claim, isOthers: true };
  const release = isMarked ? {} : { mark: "release" as const };
  return { verdict: "handOver", part, key, kind, live, fields, claim, ...release };
}
