import { objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import { refuse } from "./policies/refuse.ts";
import { type Mirror, mirrorKey } from "../model/mirror.ts";
import { ownerOf } from "../model/owner.ts";
import { reasons, type Skip } from "../model/reasons.ts";
import { excess } from "../model/sizes.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { AddressOf } from "./difference/canonical.ts";
import { colliding } from "./policies/collisions.ts";
import type { Decision, LiveMirror, Wanted } from "./decision.ts";
import { difference } from "./difference/difference.ts";
import { addressOf, liveKind, liveMirrors, rootOf, unwritable } from "./policies/ownership.ts";

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
  const collisions = colliding(claims, source, targets);
  return wanted.flatMap((each) => {
    const own = collisions.filter(({ part }) => part === each.part);
    const unclaimed = refuse(each.mirrors, own);
    const skips = [...each.skips, ...unclaimed.skips];
    return compare({ ...each, mirrors: unclaimed.mirrors, skips }, source);
  });
}

function compare(wanted: WantedPart, source: ClusterSnapshot): Decision[] {
  const { part } = wanted;
  const owner = ownerOf(part);
  const free = refuse(wanted.mirrors, unwritable(wanted.mirrors, source, owner));
  const skips = [...wanted.skips, ...free.skips];
  const live = liveMirrors(source, owner);
  const addressOfMirror = (key: ObjectKey) => addressOf(live.get(key)?.service);
  const decisions: Decision[] = [
    ...free.mirrors.map((mirror) =>
      decideWanted(part, mirror, live.get(mirrorKey(mirror)) ?? {}, addressOfMirror),
    ),
    ...decideOthers({ ...wanted, mirrors: free.mirrors, skips }, live),
  ];
  return [
    ...decisions.sort((a, b) => (a.key < b.key ? -1 : 1)),
    ...skips.map((skip) => ({ verdict: "skip" as const, part, key: skippedKey(skip), ...skip })),
  ];
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

/**
 * Decides about live mirrors that nobody asked for: kept as they are where the skip of their origin says that no
 * conclusion can be drawn about them now, left to others where they are retained, else deleted.
 */
function decideOthers(
  { part, mirrors, skips, retained, keepsOthers = false }: WantedPart,
  live: ReadonlyMap<ObjectKey, LiveMirror>,
): Decision[] {
  const asked = new Set(mirrors.map(mirrorKey));
  const undecided = new Set(
    skips.filter((skip) => reasons[skip.reason].keeps).map((skip) => skippedKey(skip)),
  );
  return [...live].flatMap(([key, mirror]): Decision[] => {
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
}

/** As an earlier version may have made it, without bounds: then nothing is a reason to leave it there. */
function isTooLarge({ service }: LiveMirror): boolean {
  if (service === undefined) return false;
  const { metadata, spec } = service;
  return excess({ ...metadata, ports: spec.ports }) !== undefined;
}

function skippedKey({ origin, mirror }: Skip): ObjectKey {
  return objectKey(origin.slice(0, origin.indexOf("/")), mirror);
}
