import { type Bundle, has, inLiveOrder, isSameSet, without } from "./bundle.ts";
import { anchorsBehind, called, type Certificate } from "./certificate.ts";
import { type LiveTrusts, type PresentTrust, presentIn, unreadableIn } from "./live.ts";

import {
  dayLong,
  listedPods,
  renewedBy,
  restartFrom,
  trustingNone,
  unreadProxies,
  withOldCertificate,
} from "./proxies.ts";
import type { ClusterPlan, TrustDecision, RotationStage } from "./rotate.ts";
import { notBefore } from "./rotation-texts.ts";

/** Anchors and issuers that the config provides: the stack has no others. */
export interface ProvidedRotation {
  readonly anchors: Bundle;
  /**
   * By cluster, leaf first, under one of the anchors (config/trust-checks.ts). A cluster without one is
   * another stack's: it is looked at and given nothing.
   */
  readonly issuers: ReadonlyMap<string, readonly Certificate[]>;
  readonly live: LiveTrusts;
  readonly now: Date;
  /** Milliseconds that a workload's certificate lives; Linkerd's default is 24 hours. */
  readonly certificateLifetime?: number;
}

type Present = readonly [cluster: string, trust: PresentTrust];

/**
 * Gives the clusters what the config provides, unless that would break traffic, judged by what is
 * live: the rules are those of `rotate`, but it is the user who takes the steps.
 */
export function planProvided(provided: ProvidedRotation): TrustDecision {
  const { anchors, issuers, live } = provided;
  const present = presentIn(live).filter(([name]) => issuers.has(name));
  const gone = present.filter(([, { bundle }]) => without(bundle, anchors).length > 0);
  const moved = present.filter((each) => moves(each, provided));
  const refused = [
    ...(moved.length + gone.length > 0 ? unknowns(provided) : []),
    ...moved.flatMap((each) => tooEarly(each, provided)),
    ...stillNeeded(gone, provided),
  ];
  if (refused.length > 0) return { refused };
  const own = [...live].filter(([name]) => issuers.has(name));
  const clusters = own.map(([name, trust]): [string, ClusterPlan] => {
    const liveBundle = trust.state === "present" ? trust.bundle : undefined;
    return [name, { bundle: inLiveOrder(anchors, liveBundle), issuer: "wanted" }];
  });
  const stage = stageOf(provided, gone.length > 0, moved.length > 0);
  return { stage, clusters: new Map(clusters), notes: notesOf(stage) };
}

/** Whether the cluster's next issuer is under none of the anchors that its live one is under. */
function moves(
  [cluster, { bundle, issuer }]: Present,
  { issuers, anchors }: ProvidedRotation,
): boolean {
  const next = issuers.get(cluster) ?? [];
  if (issuer.length === 0) return true;
  return !anchorsBehind(next, [...anchors, ...bundle]).some(
    (anchor) => anchorsBehind(issuer, [anchor]).length > 0,
  );
}

function unknowns({ live }: ProvidedRotation): string[] {
  return [...unreadableIn(live), ...unreadProxies(presentIn(live))].map(
    (why) => `No issuer can move to another anchor, and no anchor can be removed, because ${why}.`,
  );
}

/** An issuer under an anchor that is not trusted everywhere yet. */
function tooEarly([cluster]: Present, { issuers, anchors, live, now }: ProvidedRotation): string[] {
  const present = presentIn(live);
  const behind = anchorsBehind(issuers.get(cluster) ?? [], anchors);
  const key = `linkerd-multicluster:trust.issuers.${cluster}`;
  const names = behind.map(called).join(" or ");
  const lacking = present.filter(([, { bundle }]) => !behind.some((anchor) => has(bundle, anchor)));
  if (lacking.length > 0) {
    const where = lacking.map(([name]) => name).join(", ");
    return [
      `${key} is signed by ${names}, which ${where} does not trust yet. Keep the old issuer, add the anchor to linkerd-multicluster:trust.anchors, run, restart every meshed workload, and only then change the issuer.`,
    ];
  }
  const pods = trustingNone(present, behind, now);
  if (pods.length === 0) return [];
  return [
    `${key} is signed by ${names}, which the proxies of these pods do not trust yet. Keep the old issuer until their workloads are restarted: ${listedPods(pods)}.`,
  ];
}

/** An anchor left out while somebody's certificate may still be under it. */
function stillNeeded(gone: readonly Present[], provided: ProvidedRotation): string[] {
  if (gone.length === 0) return [];
  const { anchors, live, now, certificateLifetime = dayLong } = provided;
  const present = presentIn(live);
  const key = "linkerd-multicluster:trust.anchors";
  const orphanedIssuers = present.flatMap(([cluster, { bundle, issuer }]) => {
    if (issuer.length === 0 || anchorsBehind(issuer, anchors).length > 0) return [];
    const lost = anchorsBehind(issuer, bundle).map(called).join(" and ");
    return [
      `${key} lacks ${lost || "its anchor"}, which signed the issuer that cluster ${cluster} uses now. Keep it next to the new one until every cluster has an issuer signed by the new one.`,
    ];
  });
  if (orphanedIssuers.length > 0) return orphanedIssuers;
  const names = [
    ...new Set(gone.flatMap(([, { bundle }]) => without(bundle, anchors).map(called))),
  ];
  const late = withOldCertificate(present, now, certificateLifetime);
  const until = renewedBy(present, certificateLifetime).toISOString();
  const distrusting = present.flatMap(([, { issuer }]) =>
    trustingNone(present, anchorsBehind(issuer, anchors), now),
  );
  return [
    ...(late.length === 0
      ? []
      : [
          `${key} lacks ${names.join(" and ")}, under which certificates may still be in use. Keep it until these workloads are restarted${notBefore(restartFrom(present, now))}, or until ${until}: ${listedPods(late)}.`,
        ]),
    ...(distrusting.length === 0
      ? []
      : [
          `${key} lacks ${names.join(" and ")}, and some proxies trust nothing else that is in use. Keep it until these workloads are restarted: ${listedPods([...new Set(distrusting)])}.`,
        ]),
  ];
}

function stageOf(
  { anchors, issuers, live }: ProvidedRotation,
  goes: boolean,
  moves: boolean,
): RotationStage {
  if (goes) return "drop";
  if (moves) return "reissue";
  const own = presentIn(live).filter(([name]) => issuers.has(name));
  const same = own.every(([, { bundle }]) => isSameSet(bundle, anchors));
  return same ? "settled" : "bundle";
}

function notesOf(stage: RotationStage): string[] {
  if (stage !== "bundle" && stage !== "reissue") return [];
  const what = stage === "bundle" ? "the new anchors" : "certificates of the new issuers";
  return [
    `Workloads get ${what} when they are restarted: restart every meshed workload on every cluster before the next change of linkerd-multicluster:trust.`,
  ];
}
