import { count, listed } from "../message.ts";
import { valueIn } from "../result.ts";
import { type Bundle, inLiveOrder, without } from "./bundle.ts";
import { called, calledAll } from "./certificate.ts";
import { type LiveTrust, unreadableIn, withoutRefused } from "./live.ts";
import {
  dayLong,
  notBefore,
  renewedBy,
  trustingNone,
  unreadProxies,
  withOldCertificate,
} from "./proxies.ts";
import { refusedNewcomers, tooManyAnchors, unknownIssuers } from "./refusals.ts";
import { type Facts, factsOf, type Rotation } from "./rotation.ts";

/**
 * The trust that one cluster gets in this run. A running cluster that can't be read gets nothing, because it may
 * trust anchors that nobody knows of (Cluster in components/cluster.ts).
 */
export interface ClusterPlan {
  readonly bundle: Bundle;
  /** The issuer of the wanted generation, or of the previous one. */
  readonly issuer: "wanted" | "previous";
}

/**
 * The state of a rotation, which decides what this run does.
 *
 * - `settled`: the clusters have the wanted trust, or nothing runs yet that could break.
 * - `bundle`: every cluster gets the new anchor in addition to those it trusts.
 * - `reissue`: every cluster gets an issuer signed by the new anchor.
 * - `drop`: the old anchor is removed from every cluster.
 * - `waiting`: the next step would break traffic now, so everything stays.
 */
export type RotationStage = keyof typeof given;

/** The bundle and the issuer that clusters get; `live` keeps what they have. */
const given = {
  settled: { bundle: "lasting", issuer: "wanted" },
  bundle: { bundle: "shared", issuer: "live" },
  reissue: { bundle: "live", issuer: "wanted" },
  drop: { bundle: "lasting", issuer: "wanted" },
  waiting: { bundle: "live", issuer: "live" },
} as const;

export interface TrustPlan {
  readonly stage: RotationStage;
  readonly clusters: ReadonlyMap<string, ClusterPlan>;
  /** Sentences for the terminal about what this run does and what remains to be done. */
  readonly notes: readonly string[];
  /** By cluster, why it gets nothing in this run and what to do. It counts as unreadable. */
  readonly refusedClusters: ReadonlyMap<string, string>;
  /** Why the trust of every cluster stays as it is, although the config asks for a change: the run fails in the end. */
  readonly held?: readonly string[];
}

/** A step of a rotation, with the trust by which it was decided: that of a refused cluster is unknown. */
export type RotationPlan = TrustPlan & Pick<Rotation, "live">;

/**
 * Decides the one step that can be taken now from the live state alone, so that the next run continues after an
 * interruption (linkerd-behaviour.md 9.4).
 *
 * The invariant behind every branch: every certificate that is presented is under an anchor that every running proxy
 * of every cluster trusts. So an issuer moves to the new anchor only when all proxies trust it, and an old anchor is
 * removed only when no certificate under it can be in use.
 */
export function rotate(observed: Rotation): RotationPlan {
  const all = factsOf(observed);
  const foreign = [...unknownIssuers(all), ...tooManyAnchors(all)];
  const names = foreign.map(({ cluster }) => cluster);
  const rotation = { ...observed, live: withoutRefused(names, observed.live) };
  const facts = factsOf(rotation);
  const fresh = [...observed.live].flatMap(([cluster, trust]) =>
    valueIn(trust) === undefined ? [cluster] : [],
  );
  const newcomers = refusedNewcomers(fresh, rotation, facts);
  const refused = new Map([...foreign, ...newcomers].map(({ cluster, why }) => [cluster, why]));
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
  for (const { cluster } of newcomers) clusters.delete(cluster);
  const unknown = facts.unknownAnchors.map((anchor) => {
    const start = `${facts.trusting(anchor)}, which is none of this stack's trust anchors. It `;
    return rotation.unknown === "remove"
      ? `${start}is removed as soon as that breaks nothing, and given to no other cluster.`
      : `${start}stays there, and is given to no other cluster. To have every cluster trust it, add it to linkerd-multicluster:trust.extraAnchors; to remove it, set linkerd-multicluster:trust.unknownAnchors to remove.`;
  });
  return {
    stage,
    clusters,
    notes: [...step, ...unknown],
    refusedClusters: refused,
    live: rotation.live,
  };
}

const restart =
  "restart every meshed workload on every cluster, the gateways last (kubectl rollout restart)";

function nextStep(
  { wanted, live, now, certificateLifetime = dayLong, by = "this run" }: Rotation,
  { present, isUnknown, lasting, shared, leaving, allMoved }: Facts,
): readonly [stage: RotationStage, ...notes: string[]] {
  const trustAll = (anchors: Bundle): boolean =>
    present.every(([, { bundle }]) => without(anchors, bundle).length === 0);
  const isSettled = leaving.length === 0 && allMoved && trustAll(lasting);
  if (isSettled && !isUnknown) return ["settled"];
  const unreadable = unreadableIn(live);
  if (unreadable.length > 0)
    return [
      "waiting",
      `The rotation to ${called(wanted)} is paused, because ${unreadable.join("; ")}.`,
    ];
  if (!trustAll(allMoved ? lasting : shared)) {
    const added = lasting.filter((anchor) => !trustAll([anchor]));
    return [
      "bundle",
      `Rotation, step 1 of 3: ${by} adds ${calledAll(added)} to the trust bundle of every cluster. Then ${restart}, and run again.`,
    ];
  }
  const unread = unreadProxies(present);
  if (unread.length > 0)
    return ["waiting", `The rotation is paused, because ${unread.join("; ")}.`];
  const distrusting = trustingNone(present, [wanted], now);
  if (distrusting.length > 0)
    return [
      "waiting",
      `The rotation waits until all proxies trust ${called(wanted)}. Restart the workloads of ${count(distrusting.length, "pod")} and run again: ${listed(distrusting)}. To skip pods that aren't yours or may lose connections, add them to linkerd-multicluster:trust.ignorePods.`,
    ];
  if (!allMoved)
    return [
      "reissue",
      `Rotation, step 2 of 3: ${by} replaces every issuer with one signed by ${called(wanted)}. Then wait five minutes, after which the old ones issue no more certificates, ${restart}, and run again; or run again a day later, when all certificates have been renewed.`,
    ];
  const late = withOldCertificate(present, now, certificateLifetime);
  if (late.length > 0)
    return [
      "waiting",
      `The rotation waits until no certificate under ${calledAll(leaving)} can be in use. Restart the workloads of ${count(late.length, "pod")}${notBefore(present, now)} and run again, or run again after ${renewedBy(present, certificateLifetime).toISOString()}: ${listed(late)}.`,
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
