import { objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import { type Mirror, mirrorKey } from "../model/mirror.ts";
import { ownerOf } from "../model/owner.ts";
import { reasons, type Skip } from "../model/reasons.ts";
import { excess } from "../model/sizes.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Decision, LiveMirror, Wanted } from "./decision.ts";
import type { AddressOf } from "./canonical.ts";
import { difference } from "./difference.ts";
import { colliding } from "./policies/collisions.ts";
import { addressOf, liveKind, liveMirrors, rootOf, unwritable } from "./policies/ownership.ts";
import { refuse, type Refusal } from "./policies/rules.ts";

/** The mirrors that one part of a source's should consist of. */
export interface WantedPart {
  /** Name of the link's target, or `federated`. */
  readonly part: string;
  readonly mirrors: readonly Mirror[];
  readonly skips: readonly Skip[];
  /** Live mirrors that nobody asks for and that are not to be deleted. */
  readonly retained?: ReadonlySet<ObjectKey>;
  /** Nothing is known of what else the part should have: all its other live mirrors stay. */
  readonly keepsOthers?: boolean;
}

/**
 * Compares what a source cluster should have with what it has, all parts together, and decides about each object:
 * part by part, first the mirrors by their keys, then what is skipped.
 *
 * @param targets of all links into the source
 */
export function plan(
  wanted: readonly WantedPart[],
  source: ClusterSnapshot,
  targets: readonly string[],
): Decision[] {
  const claims = wanted.flatMap(({ part, mirrors }) => mirrors.map((mirror) => ({ part, mirror })));
  const collisions = Map.groupBy(colliding(claims, source, targets), ({ part }) => part);
  return wanted.flatMap((each) => compare(each, collisions.get(each.part) ?? [], source));
}

/**
 * Decides about one part. Live mirrors that nobody asks for are left to others where they are retained, and kept as
 * they are where the skip of their origin says that no conclusion can be drawn about them now; else they are deleted.
 */
function compare(
  { part, mirrors, skips, retained, keepsOthers = false }: WantedPart,
  collisions: readonly Refusal[],
  source: ClusterSnapshot,
): Decision[] {
  const owner = ownerOf(part);
  const unclaimed = refuse(mirrors, collisions);
  const free = refuse(unclaimed.mirrors, unwritable(unclaimed.mirrors, source, owner));
  const skipped = [...skips, ...unclaimed.skips, ...free.skips].map((skip) => ({
    ...{ verdict: "skip" as const, part, key: skippedKey(skip) },
    ...skip,
  }));
  const live = liveMirrors(source, owner);
  const wanted = free.mirrors.map((mirror) =>
    decideWanted(part, mirror, live.get(mirrorKey(mirror)) ?? {}, (key) =>
      addressOf(live.get(key)?.service),
    ),
  );
  const asked = new Set(wanted.map(({ key }) => key));
  const undecided = new Set(
    skipped.flatMap(({ reason, key }) => (reasons[reason].keeps ? [key] : [])),
  );
  const others = [...live].flatMap(([key, mirror]): Decision[] => {
    if (asked.has(key)) return [];
    const common = { part, key, kind: liveKind(mirror), live: mirror, fields: [] };
    if (retained?.has(key) === true) return [{ verdict: "handOver", ...common }];
    const isUndecided = undecided.has(key) || undecided.has(rootOf(key, mirror));
    const stays =
      keepsOthers ||
      (isUndecided && !isTooLarge(mirror)) ||
      mirror.service?.metadata.deletionTimestamp !== undefined;
    return [{ verdict: stays ? "keep" : "delete", ...common }];
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
  const { service, endpoints, replace } = difference(live, wanted, addressOf);
  const fields = [...service, ...endpoints];
  if (fields.length === 0) return { verdict: "keep", fields, ...common };
  return { verdict: replace ? "replace" : "update", fields, ...common };
}

/** As an earlier version may have made it, without bounds: then nothing is a reason to leave it there. */
function isTooLarge({ service }: LiveMirror): boolean {
  return (
    service !== undefined &&
    excess({ ...service.metadata, ports: service.spec.ports }) !== undefined
  );
}

function skippedKey({ origin, mirror }: Skip): ObjectKey {
  return objectKey(origin.slice(0, origin.indexOf("/")), mirror);
}
