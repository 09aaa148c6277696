import { listed } from "../base/message.ts";
import { valueIn } from "../base/result.ts";
import { type Bundle, has, inLiveOrder, isSameSet, unique, without } from "./bundle.ts";
import { anchorsBehind, called, calledAll, type Certificate } from "./certificate.ts";
import { dayLong } from "./lifetime.ts";
import { type PresentTrust, presentIn, unreadableIn, withoutRefused } from "./live.ts";
import {
  notBefore,
  renewedBy,
  trustingNone,
  unreadProxies,
  withOldCertificate,
} from "./proxies.ts";
import type { ClusterPlan, TrustPlan } from "./rotate.ts";
import type { Rotation } from "./rotation.ts";

export interface ProvidedRotation extends Pick<Rotation, "live" | "now" | "certificateLifetimeMs"> {
  readonly anchors: Bundle;
  /**
   * Each chain is under one of the anchors (config/trust-checks.ts). A cluster without one belongs to another stack,
   * and gets nothing.
   */
  readonly issuers: ReadonlyMap<string, readonly Certificate[]>;
}

/** Follows the rules of `rotate`, but the user takes the steps. */
export function planProvided(observed: ProvidedRotation): TrustPlan {
  const { anchors, issuers } = observed;
  const orphans = orphaned(observed);
  const live = withoutRefused(orphans.keys(), observed.live);
  const provided = { ...observed, live };
  const own = presentIn(live).filter(([name]) => issuers.has(name));
  const gone = without(unique(own.flatMap(([, { bundle }]) => bundle)), anchors);
  const moved = own.filter(([name, trust]) => moves(issuers.get(name) ?? [], anchors, trust));
  const held = [
    ...(moved.length + gone.length > 0 ? unknowns(provided) : []),
    ...moved.flatMap(([name]) => tooEarly(name, provided)),
    ...(gone.length > 0 ? stillNeeded(gone, provided) : []),
  ];
  const clusters = [...live].flatMap(([name, trust]): [string, ClusterPlan][] => {
    const now = valueIn(trust)?.bundle ?? [];
    const bundle = held.length > 0 && now.length > 0 ? now : inLiveOrder(anchors, now);
    return issuers.has(name) ? [[name, { bundle, issuer: "wanted" }]] : [];
  });
  // A cluster that may be new has no trust that could stay.
  const early = [...live].flatMap(([name, trust]): [string, string][] =>
    held.length > 0 && valueIn(trust) === undefined
      ? [[name, `Cluster ${name} gets Linkerd once the others can get linkerd-multicluster:trust.`]]
      : [],
  );
  const refusedClusters = new Map([...early, ...orphans].filter(([name]) => issuers.has(name)));
  const plan = { clusters: new Map(clusters), notes: [], refusedClusters, leaving: gone };
  if (held.length > 0) return { ...plan, stage: "waiting", held };
  if (gone.length > 0) return { ...plan, stage: "drop" };
  if (moved.length > 0)
    return { ...plan, stage: "reissue", notes: [restart("certificates of the new issuers")] };
  if (own.every(([, { bundle }]) => isSameSet(bundle, anchors)))
    return { ...plan, stage: "settled" };
  return { ...plan, stage: "bundle", notes: [restart("the new anchors")] };
}

function restart(what: string): string {
  return `Workloads get ${what} when they are restarted: restart every meshed workload on every cluster before the next change of linkerd-multicluster:trust.`;
}

/** Tells whether a cluster's next issuer is under none of its live issuer's anchors. */
function moves(
  next: readonly Certificate[],
  anchors: Bundle,
  { bundle, issuer }: PresentTrust,
): boolean {
  const behind = anchorsBehind(next, [...anchors, ...bundle]);
  return anchorsBehind(issuer, behind).length === 0;
}

function unknowns({ live }: ProvidedRotation): string[] {
  return [...unreadableIn(live), ...unreadProxies(presentIn(live))].map(
    (why) => `No issuer can move to another anchor, and no anchor can be removed, because ${why}.`,
  );
}

/** Finds issuers under an anchor that isn't trusted everywhere yet. */
function tooEarly(cluster: string, { issuers, anchors, live, now }: ProvidedRotation): string[] {
  const present = presentIn(live);
  const behind = anchorsBehind(issuers.get(cluster) ?? [], anchors);
  const signed = `linkerd-multicluster:trust.issuers.${cluster} is signed by ${behind.map(called).join(" or ")}`;
  const lacking = present.filter(([, { bundle }]) => !behind.some((anchor) => has(bundle, anchor)));
  if (lacking.length > 0) {
    const where = lacking.map(([name]) => name).join(", ");
    return [
      `${signed}, which ${where} does not trust yet. Keep the old issuer, add the anchor to linkerd-multicluster:trust.anchors, run, restart every meshed workload, and only then change the issuer.`,
    ];
  }
  const pods = trustingNone(present, behind, now);
  if (pods.length === 0) return [];
  return [
    `${signed}, which the proxies of these pods do not trust yet. Keep the old issuer until their workloads are restarted: ${listed(pods)}.`,
  ];
}

const lacks = "linkerd-multicluster:trust.anchors lacks";

/** Finds issuers under an anchor that the config leaves out. If that is a mistake, every cluster has one. */
function orphaned({ anchors, live }: ProvidedRotation): ReadonlyMap<string, string> {
  return new Map(
    presentIn(live).flatMap(([cluster, { bundle, issuer }]): [string, string][] => {
      const isUnder = issuer.length === 0 || anchorsBehind(issuer, anchors).length > 0;
      if (isUnder || without(bundle, anchors).length === 0) return [];
      const lost = calledAll(anchorsBehind(issuer, bundle));
      const why = `${lacks} ${lost || "the anchor"}, which signed the issuer that cluster ${cluster} uses now. Keep it next to the new one until every cluster has an issuer signed by the new one.`;
      return [[cluster, why]];
    }),
  );
}

/** Finds anchors that are left out while certificates under them may still be in use. */
function stillNeeded(
  gone: Bundle,
  { anchors, live, now, certificateLifetimeMs = dayLong }: ProvidedRotation,
): string[] {
  const present = presentIn(live);
  const names = calledAll(gone);
  const late = withOldCertificate(present, now, certificateLifetimeMs);
  const distrusting = new Set(
    present.flatMap(([, { issuer }]) => trustingNone(present, anchorsBehind(issuer, anchors), now)),
  );
  return [
    late.length > 0 &&
      `${lacks} ${names}, under which certificates may still be in use. Keep it until these workloads are restarted${notBefore(present, now)}, or until ${renewedBy(present, certificateLifetimeMs).toISOString()}: ${listed(late)}.`,
    distrusting.size > 0 &&
      `${lacks} ${names}, and some proxies trust nothing else that is in use. Keep it until these workloads are restarted: ${listed([...distrusting])}.`,
  ].filter((sentence) => sentence !== false);
}
