import type { Desired } from "../desired/desired.ts";
import type { DesiredFederated } from "../desired/federated.ts";
import { mirrorKey, refuse } from "../desired/refuse.ts";
import type { LinkSpec } from "../model/link.ts";
import type { Mirror } from "../model/mirror.ts";
import { objectKey, type ObjectKey } from "../../kubernetes/objects.ts";
import { federated, mirrorsOf, type Owner } from "../model/owner.ts";
import { reasons, type Skip } from "../model/reasons.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { changeFor } from "./change-for.ts";
import type { Change, LiveMirror, Plan } from "./change.ts";
import { colliding, type Claim } from "./collisions.ts";
import { tooManyDeletions } from "./deletions.ts";
import { describeLive, describeWanted, liveKind } from "./describe.ts";
import { addressOf, liveMirrors, rootOf, unwritable } from "./ownership.ts";

/**
 * Holds what a link should have against what its source cluster has.
 *
 * @param others what the other links into the same source ask for, to find colliding names.
 */
export function plan(
  link: LinkSpec,
  wanted: Desired,
  source: ClusterSnapshot,
  others: readonly Claim[],
): Plan {
  const claims = wanted.mirrors.map((mirror) => ({ target: link.target, mirror }));
  const { live, ...planned } = compare(
    claims,
    wanted.skips,
    others,
    source,
    mirrorsOf(link.target),
  );
  const deletions = planned.changes.filter(({ action }) => action === "delete").length;
  const refusal = tooManyDeletions(link, deletions, live.size);
  return { ...planned, ...(refusal !== undefined && { refusal }) };
}

/** The same for the federated Services of a cluster, all links into it taken together. */
export function planFederated(
  wanted: DesiredFederated,
  source: ClusterSnapshot,
  others: readonly Claim[],
): Plan {
  const claims = wanted.mirrors.map((mirror) => ({ mirror }));
  const { live: _live, ...planned } = compare(claims, wanted.skips, others, source, federated);
  return planned;
}

function compare(
  claims: readonly Claim[],
  skipped: readonly Skip[],
  others: readonly Claim[],
  source: ClusterSnapshot,
  owner: Owner,
): Plan & { readonly live: ReadonlyMap<ObjectKey, LiveMirror> } {
  const wanted = claims.map(({ mirror }) => mirror);
  const unclaimed = refuse(wanted, colliding(claims, others, source));
  const free = refuse(unclaimed.mirrors, unwritable(unclaimed.mirrors, source, owner));
  const skips = [...skipped, ...unclaimed.skips, ...free.skips];

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
  const { kept, unwanted } = leftovers(free.mirrors, live, skips);
  const deletions = unwanted.map(([key, mirror]) => deletion(key, mirror));
  return {
    live,
    wanted: free.mirrors,
    namespaces: missingNamespaces(free.mirrors, source),
    addresses,
    changes: [...writes, ...deletions].sort((a, b) => (a.key < b.key ? -1 : 1)),
    mirrors: Object.fromEntries([
      ...kept.map(([key, mirror]) => [key, describeLive(mirror)] as const),
      ...free.mirrors.map((mirror) => [mirrorKey(mirror), describeWanted(mirror)] as const),
    ]),
    skips,
  };
}

function deletion(key: ObjectKey, live: LiveMirror): Change {
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
): Record<"kept" | "unwanted", [ObjectKey, LiveMirror][]> {
  const asked = new Set(wanted.map(mirrorKey));
  const undecided = new Set(
    skips.filter((skip) => reasons[skip.reason].keeps).map((skip) => skippedKey(skip)),
  );
  const kept: [ObjectKey, LiveMirror][] = [];
  const unwanted: [ObjectKey, LiveMirror][] = [];
  for (const entry of live) {
    const [key, mirror] = entry;
    if (asked.has(key)) continue;
    const held =
      undecided.has(key) ||
      undecided.has(rootOf(key, mirror)) ||
      mirror.service?.metadata.deletionTimestamp !== undefined;
    (held ? kept : unwanted).push(entry);
  }
  return { kept, unwanted };
}

function skippedKey({ origin, mirror }: Skip): ObjectKey {
  return objectKey(origin.slice(0, origin.indexOf("/")), mirror);
}

function missingNamespaces(mirrors: readonly Mirror[], source: ClusterSnapshot): string[] {
  const names = new Set(mirrors.map((mirror) => mirror.namespace));
  return [...names].filter((name) => !source.namespaces.has(name)).sort();
}
