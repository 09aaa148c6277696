import { objectKey, type ObjectKey } from "../../kubernetes/objects.ts";
import { mirrorKey, refuse } from "../desired/refuse.ts";
import type { Mirror } from "../model/mirror.ts";
import { ownerOf } from "../model/owner.ts";
import { reasons, type Skip } from "../model/reasons.ts";
import { excess } from "../model/sizes.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { AddressOf } from "./canonical.ts";
import type { Change, LiveMirror, Plan, SourcePlan, Write } from "./change.ts";
import { colliding } from "./collisions.ts";
import { describeLive, describeWanted, liveKind } from "./describe.ts";
import { difference } from "./difference.ts";
import { addressOf, liveMirrors, rootOf, unwritable } from "./ownership.ts";

/** What one part of a source's mirrors should consist of. */
export interface WantedPart {
  /** Name of the link's target, or `federated`. */
  readonly part: string;
  readonly mirrors: readonly Mirror[];
  readonly skips: readonly Skip[];
  /** Live mirrors that nobody asks for and that are not to be deleted. */
  readonly spared?: ReadonlySet<ObjectKey>;
  /** Nothing is known of what else the part should have: all its other live mirrors stay. */
  readonly keepsOthers?: boolean;
  /**
   * The sentence that stops the run, if the plan deletes too much.
   *
   * @param live the part's mirrors as they are
   */
  readonly guard?: (
    changes: readonly Change[],
    live: ReadonlyMap<ObjectKey, LiveMirror>,
  ) => string | undefined;
}

/**
 * Compares what a source cluster should have with what it has, all parts together.
 *
 * @param targets of all links into the source
 */
export function plan(
  wanted: readonly WantedPart[],
  source: ClusterSnapshot,
  targets: readonly string[],
): SourcePlan {
  const claims = wanted.flatMap(({ part, mirrors }) => mirrors.map((mirror) => ({ part, mirror })));
  const collisions = colliding(claims, source, targets);
  return new Map(
    wanted.map((each) => {
      const own = collisions.filter(({ part }) => part === each.part);
      const unclaimed = refuse(each.mirrors, own);
      const skips = [...each.skips, ...unclaimed.skips];
      return [each.part, compare({ ...each, mirrors: unclaimed.mirrors, skips }, source)];
    }),
  );
}

function compare(wanted: WantedPart, source: ClusterSnapshot): Plan {
  const { part, mirrors, skips: skipped, guard } = wanted;
  const owner = ownerOf(part);
  const free = refuse(mirrors, unwritable(mirrors, source, owner));
  const skips = [...skipped, ...free.skips];

  const live = liveMirrors(source, owner);
  const addresses = new Map(
    [...live].flatMap(([key, { service }]) => {
      const address = addressOf(service);
      return address === undefined ? [] : [[key, address] as const];
    }),
  );
  const writes = free.mirrors.flatMap((mirror) =>
    changeFor(mirror, live.get(mirrorKey(mirror)) ?? {}, (key) => addresses.get(key)),
  );
  const { kept, unwanted } = leftovers(free.mirrors, live, skips, wanted);
  const deletions = unwanted.map(([key, mirror]) => deletion(key, mirror));
  const changes = [...writes, ...deletions].sort((a, b) => (a.key < b.key ? -1 : 1));
  const refusal = guard?.(changes, live);
  return {
    wanted: free.mirrors,
    namespaces: missingNamespaces(free.mirrors, source),
    addresses,
    changes,
    mirrors: Object.fromEntries([
      ...kept.map(([key, mirror]) => [key, describeLive(mirror)] as const),
      ...free.mirrors.map((mirror) => [mirrorKey(mirror), describeWanted(mirror)] as const),
    ]),
    skips,
    ...(refusal !== undefined && { refusal }),
  };
}

/** The change that makes a live mirror what it should be; none where it is. */
function changeFor(wanted: Mirror, live: LiveMirror, addressOf: AddressOf): Write[] {
  const common = { kind: wanted.kind, key: mirrorKey(wanted), live, wanted };
  if (live.service === undefined) return [{ action: "create", fields: [], ...common }];
  const { service, endpoints, replace } = difference(live, wanted, addressOf);
  const fields = [...service, ...endpoints];
  if (fields.length === 0) return [];
  return [{ action: replace ? "replace" : "update", fields, ...common }];
}

/** The change that takes a live mirror away. */
export function deletion(key: ObjectKey, live: LiveMirror): Change {
  return { action: "delete", kind: liveKind(live), key, live, fields: [] };
}

/**
 * Live mirrors that nobody asked for: kept as they are where the skip of their origin says that
 * no conclusion can be drawn about them now, else to be deleted.
 */
function leftovers(
  wanted: readonly Mirror[],
  live: ReadonlyMap<ObjectKey, LiveMirror>,
  skips: readonly Skip[],
  { spared, keepsOthers = false }: Pick<WantedPart, "spared" | "keepsOthers">,
): Record<"kept" | "unwanted", [ObjectKey, LiveMirror][]> {
  const asked = new Set(wanted.map(mirrorKey));
  const undecided = new Set(
    skips.filter((skip) => reasons[skip.reason].keeps).map((skip) => skippedKey(skip)),
  );
  const kept: [ObjectKey, LiveMirror][] = [];
  const unwanted: [ObjectKey, LiveMirror][] = [];
  for (const entry of live) {
    const [key, mirror] = entry;
    if (asked.has(key) || spared?.has(key) === true) continue;
    const isUndecided = undecided.has(key) || undecided.has(rootOf(key, mirror));
    const held =
      keepsOthers ||
      (isUndecided && !isTooLarge(mirror)) ||
      mirror.service?.metadata.deletionTimestamp !== undefined;
    (held ? kept : unwanted).push(entry);
  }
  return { kept, unwanted };
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

function missingNamespaces(mirrors: readonly Mirror[], source: ClusterSnapshot): string[] {
  const names = new Set(mirrors.map((mirror) => mirror.namespace));
  return [...names].filter((name) => !source.namespaces.has(name)).sort();
}
