import { count, inDigits, listed } from "../base/message.ts";
import { valueIn } from "../base/result.ts";
import { type Bundle, bundleText, has, inLiveOrder, without } from "./bundle.ts";
import { anchorsBehind, called, calledAll, longestText, mostCertificates } from "./certificate.ts";
import { dayLong } from "./lifetime.ts";
import {
  type LiveTrust,
  hasExpired,
  trustRootsName,
  unreadableIn,
  withoutRefused,
} from "./live.ts";
import {
  notBefore,
  renewedBy,
  trustingNone,
  unreadProxies,
  withOldCertificate,
} from "./proxies.ts";
import { byHand, byRuns } from "./restart-words.ts";
import { type Facts, factsOf, type Rotation } from "./rotation.ts";

/**
 * A running cluster that can't be read gets nothing, because it may trust anchors that nobody knows of (Cluster in
 * components/cluster.ts).
 */
export interface ClusterPlan {
  readonly bundle: Bundle;
  readonly issuer: "wanted" | "previous";
}

export type RotationStage = keyof typeof given;

/** A stage decides the bundle and the issuer of each cluster; `live` keeps what it has. */
const given = {
  /** The clusters have the wanted trust, or nothing runs yet that could break. */
  settled: { bundle: "lasting", issuer: "wanted" },
  /** Every cluster gets the new anchor in addition to those it trusts. */
  bundle: { bundle: "shared", issuer: "live" },
  /** Every cluster gets an issuer signed by the new anchor. */
  reissue: { bundle: "live", issuer: "wanted" },
  /** The old anchor is removed from every cluster. */
  drop: { bundle: "lasting", issuer: "wanted" },
  /** The next step would break traffic now. */
  waiting: { bundle: "live", issuer: "live" },
} as const;

export interface TrustPlan {
  readonly stage: RotationStage;
  readonly clusters: ReadonlyMap<string, ClusterPlan>;
  readonly notes: readonly string[];
  /** A refused cluster gets nothing in this run, and counts as unreadable. */
  readonly refusedClusters: ReadonlyMap<string, string>;
  /** The trust of every cluster stays as it is for these reasons, and the run fails in the end. */
  readonly held?: readonly string[];
  /** A rotation removes these anchors in the end. */
  readonly leaving?: Bundle;
}

/** The trust of a refused cluster is unknown. */
export type RotationPlan = TrustPlan & Pick<Rotation, "live">;

/**
 * Decides the one step that can be taken now, from the live state alone, so that the next run continues after an
 * interruption (linkerd-behaviour.md 9.4). Every certificate that is presented must be under an anchor that every
 * running proxy trusts: an issuer moves to the new anchor only when all proxies trust it, and an old anchor is removed
 * only when no certificate under it can be in use.
 */
export function rotate(observed: Rotation): RotationPlan {
  const all = factsOf(observed);
  const foreign = new Map([...unknownIssuers(all), ...tooManyAnchors(all)]);
  const rotation = { ...observed, live: withoutRefused(foreign.keys(), observed.live) };
  const facts = factsOf(rotation);
  const fresh = [...observed.live].flatMap(([cluster, trust]) =>
    valueIn(trust) === undefined ? [cluster] : [],
  );
  const newcomers = refusedNewcomers(fresh, rotation, facts);
  const [stage, ...step] = nextStep(rotation, facts);
  const { bundle, issuer } = given[stage];
  const clusters = new Map(
    [...rotation.live].map(([name, trust]): [string, ClusterPlan] => [
      name,
      {
        bundle: bundleFor(trust, bundle, rotation, facts),
        issuer: issuer === "wanted" ? issuer : facts.signerOf(trust),
      },
    ]),
  );
  for (const [cluster] of newcomers) clusters.delete(cluster);
  const unknown = facts.unknownAnchors.map((anchor) => {
    const start = `${facts.trusting(anchor)}, which is not one of this stack's trust anchors. It `;
    return rotation.unknown === "remove"
      ? `${start}is removed as soon as that breaks nothing, and given to no other cluster.`
      : `${start}stays there, and is given to no other cluster. To have every cluster trust it, add it to linkerd-multicluster:trust.extraAnchors; to remove it, set linkerd-multicluster:trust.unknownAnchors to remove.`;
  });
  return {
    stage,
    clusters,
    notes: [...step, ...unknown],
    refusedClusters: new Map([...foreign, ...newcomers]),
    live: rotation.live,
    leaving: facts.leaving,
  };
}

function nextStep(
  rotation: Rotation,
  { present, isUnknown, lasting, shared, leaving, allMoved }: Facts,
): readonly [stage: RotationStage, ...notes: string[]] {
  const trustAll = (anchors: Bundle): boolean =>
    present.every(([, { bundle }]) => without(anchors, bundle).length === 0);
  const { wanted, live, now, certificateLifetimeMs = dayLong, by = "this run" } = rotation;
  const words = rotation.restarts === true ? byRuns : byHand;
  const isSettled = leaving.length === 0 && allMoved && trustAll(lasting);
  if (isSettled && !isUnknown) return ["settled"];
  const unreadable = unreadableIn(live);
  const isRead = unreadable.length === 0 && present.length > 0;
  // Other stacks apply a step at any time, and each must fit what its cluster has.
  if (isRead && rotation.by === undefined && present.every(([, trust]) => hasExpired(trust, now)))
    return [
      "drop",
      `No issuer of the mesh is valid, so no connection is left that could break: ${by} replaces the trust bundle and the issuer of every cluster at once${words.bundle}.`,
    ];
  if (unreadable.length > 0)
    return [
      "waiting",
      `The rotation to ${called(wanted)} is paused, because ${unreadable.join("; ")}.`,
    ];
  if (!trustAll(allMoved ? lasting : shared)) {
    const added = lasting.filter((anchor) => !trustAll([anchor]));
    return [
      "bundle",
      `Rotation, step 1 of 3: ${by} adds ${calledAll(added)} to the trust bundle of every cluster${words.bundle}.`,
    ];
  }
  const unread = unreadProxies(present);
  if (unread.length > 0)
    return ["waiting", `The rotation is paused, because ${unread.join("; ")}.`];
  const distrusting = trustingNone(present, [wanted], now);
  if (distrusting.length > 0)
    return [
      "waiting",
      `The rotation waits until all proxies trust ${called(wanted)}. ${words.pods} the workloads of ${count(distrusting.length, "pod")}${words.again}: ${listed(distrusting)}. To skip pods that aren't yours or may lose connections, add them to linkerd-multicluster:trust.ignorePods.`,
    ];
  if (!allMoved)
    return [
      "reissue",
      `Rotation, step 2 of 3: ${by} replaces every issuer with one signed by ${called(wanted)}. ${words.issuers}, when all certificates have been renewed.`,
    ];
  const late = withOldCertificate(present, now, certificateLifetimeMs);
  if (late.length > 0)
    return [
      "waiting",
      `The rotation waits until no certificate under ${calledAll(leaving)} can be in use. ${words.pods} the workloads of ${count(late.length, "pod")}${notBefore(present, now)}${words.again}, or run again after ${renewedBy(present, certificateLifetimeMs).toISOString()}: ${listed(late)}.`,
    ];
  return [
    "drop",
    `Rotation, step 3 of 3: ${by} removes ${calledAll(leaving)} from every trust bundle. Proxies trust it until their workloads are restarted.`,
  ];
}

/** An anchor that isn't this stack's stays in the clusters that trust it and is added to no other. */
function bundleFor(
  trust: LiveTrust,
  which: "shared" | "lasting" | "live",
  { unknown = "keep" }: Rotation,
  facts: Facts,
): Bundle {
  const own = valueIn(trust)?.bundle ?? [];
  if (which === "live") return own.length > 0 ? own : facts.shared;
  const kept = which === "shared" || unknown === "keep" ? without(own, facts.known) : [];
  return inLiveOrder([...facts[which], ...kept], own);
}

/** It gets nothing in this run. */
type Refused = readonly [cluster: string, why: string];

/** This stack has no key to continue from issuers that neither generation signed. */
function unknownIssuers({ present, own }: Facts): Refused[] {
  return present.flatMap(([cluster, { issuer }]) => {
    const [first] = issuer;
    if (first === undefined || anchorsBehind(issuer, own).length > 0) return [];
    const why = `Cluster ${cluster} uses the issuer ${called(first)}, which is not signed by any of this stack's trust anchors, ${calledAll(own)}: replacing it at once would break its traffic. If a rotation was in progress, set linkerd-multicluster:trust.generation back to the generation that it was going to; otherwise provide the anchors and issuers in use as linkerd-multicluster:trust.anchors and trust.issuers.`;
    return [[cluster, why]];
  });
}

function tooManyAnchors({ present, known }: Facts): Refused[] {
  return present.flatMap(([cluster, { bundle }]) => {
    const why = unreadable(cluster, known, without(bundle, known));
    return why === undefined ? [] : [[cluster, why]];
  });
}

/** Anchors of others are written back to a cluster, and must form a bundle that can be read again. */
export function unreadable(cluster: string, known: Bundle, unknown: Bundle): string | undefined {
  const all = [...known, ...unknown];
  const fits = all.length <= mostCertificates && bundleText(all).length <= longestText;
  if (unknown.length === 0 || fits) return undefined;
  return `Cluster ${cluster} trusts ${count(unknown.length, "anchor")} that this stack doesn't know. With them, its trust bundle would have more than ${mostCertificates} certificates or ${inDigits(longestText)} characters, and could not be read again: remove those that nobody needs from ConfigMap ${trustRootsName} there, and run again.`;
}

/** Clusters that may be new wait while nobody can tell what they must trust. */
function refusedNewcomers(fresh: readonly string[], rotation: Rotation, facts: Facts): Refused[] {
  const reasons = facts.isUnknown
    ? [
        `The progress of the trust anchor rotation is unknown, because no cluster with Linkerd could be read: ${unreadableIn(rotation.live).join("; ")}.`,
      ]
    : unfinished(fresh, rotation, facts);
  if (reasons.length === 0) return [];
  return fresh.map((cluster) => [cluster, reasons.join(" ")]);
}

/**
 * An anchor of others that all clusters trust may be that of a generation whose rotation was never finished. A new
 * cluster would refuse certificates under it.
 */
function unfinished(
  fresh: readonly string[],
  { live, now, certificateLifetimeMs = dayLong }: Rotation,
  { present, unknownAnchors, trusting }: Facts,
): string[] {
  const late = [
    // An unreadable cluster may be new, or hold such certificates, but not both.
    ...(live.size - present.length > 1 ? unreadableIn(live) : []),
    ...unreadProxies(present),
    ...withOldCertificate(present, now, certificateLifetimeMs),
  ];
  if (fresh.length === 0 || late.length === 0) return [];
  const until = renewedBy(present, certificateLifetimeMs);
  const shared = unknownAnchors.filter((anchor) =>
    present.every(([, { bundle }]) => has(bundle, anchor)),
  );
  return shared.map(
    (anchor) =>
      `${trusting(anchor)}, which is not one of this stack's trust anchors, and certificates under it may still be in use: new clusters (${fresh.join(", ")}) would refuse them. Restart these workloads, or run again after ${until.toISOString()}: ${listed(late)}. Or have every cluster trust it: add it to linkerd-multicluster:trust.extraAnchors.`,
  );
}
