import { type Bundle, has, inLiveOrder, isSameSet, without } from "./bundle.ts";
import { anchorsBehind, called, type Certificate } from "./certificate.ts";
import { type LiveTrusts, type PresentTrust, presentIn, unreadableIn } from "./live.ts";
import type { ClusterPlan, Decision, Stage } from "./plan.ts";
import {
  dayLong,
  listed,
  renewedBy,
  restartFrom,
  trustingNone,
  unread,
  withOldCertificate,
} from "./proxies.ts";
import { notBefore } from "./rotation-texts.ts";

/** Anchors and issuers that the config brings along: the stack has no other, so it can't choose. */
export interface OwnTrust {
  readonly anchors: Bundle;
  /** By cluster, leaf first. Every cluster has one, under one of the anchors (config/trust-checks.ts). */
  readonly issuers: ReadonlyMap<string, readonly Certificate[]>;
  readonly live: LiveTrusts;
  readonly now: Date;
  /** Milliseconds that a workload's certificate lives; Linkerd's default is 24 hours. */
  readonly certificateLifetime?: number;
}

type Present = readonly [cluster: string, trust: PresentTrust];

/**
 * Gives the clusters what the config says, unless that would break traffic, judged by what is live:
 * the rules are those of `rotate`, but the one who takes the steps is the user.
 */
export function adopt(own: OwnTrust): Decision {
  const { anchors, live } = own;
  const present = presentIn(live);
  const gone = present.filter(([, { bundle }]) => without(bundle, anchors).length > 0);
  const moved = present.filter((each) => moves(each, own));
  const refused = [
    ...(moved.length + gone.length > 0 ? unknowns(own) : []),
    ...moved.flatMap((each) => tooEarly(each, own)),
    ...stillNeeded(gone, own),
  ];
  if (refused.length > 0) return { refused };
  const clusters = [...live].map(([name, trust]): [string, ClusterPlan] => {
    const liveBundle = trust.state === "present" ? trust.bundle : undefined;
    return [name, { bundle: inLiveOrder(anchors, liveBundle), issuer: "wanted" }];
  });
  const stage = stageOf(own, gone.length > 0, moved.length > 0);
  return { stage, clusters: new Map(clusters), notes: notesOf(stage) };
}

/** Whether the cluster's next issuer is under none of the anchors that its live one is under. */
function moves([cluster, { bundle, issuer }]: Present, { issuers, anchors }: OwnTrust): boolean {
  const next = issuers.get(cluster) ?? [];
  if (issuer.length === 0) return true;
  return !anchorsBehind(next, [...anchors, ...bundle]).some(
    (anchor) => anchorsBehind(issuer, [anchor]).length > 0,
  );
}

function unknowns({ live }: OwnTrust): string[] {
  return [...unreadableIn(live), ...unread(presentIn(live))].map(
    (why) => `Neither an issuer's anchor can change nor an anchor go now, because ${why}.`,
  );
}

/** An issuer under an anchor that is not trusted everywhere yet. */
function tooEarly([cluster]: Present, { issuers, anchors, live }: OwnTrust): string[] {
  const present = presentIn(live);
  const behind = anchorsBehind(issuers.get(cluster) ?? [], anchors);
  const key = `linkerd-multicluster:trust.issuers.${cluster}`;
  const names = behind.map(called).join(" or ");
  const lacking = present.filter(([, { bundle }]) => !behind.some((anchor) => has(bundle, anchor)));
  if (lacking.length > 0) {
    const where = lacking.map(([name]) => name).join(", ");
    return [
      `${key} is under ${names}, which ${where} does not trust yet. Keep the issuer as it was, put the anchor beside the old one in linkerd-multicluster:trust.anchors, run, restart every meshed workload, and only then change the issuer.`,
    ];
  }
  const pods = trustingNone(present, behind);
  if (pods.length === 0) return [];
  return [
    `${key} is under ${names}, which ${pods.length} running proxies do not trust yet. Keep the issuer as it was until their workloads are restarted: ${listed(pods)}.`,
  ];
}

/** An anchor left out while somebody's certificate may still be under it. */
function stillNeeded(gone: readonly Present[], own: OwnTrust): string[] {
  if (gone.length === 0) return [];
  const { anchors, live, now, certificateLifetime = dayLong } = own;
  const present = presentIn(live);
  const key = "linkerd-multicluster:trust.anchors";
  const bereft = present.flatMap(([cluster, { bundle, issuer }]) => {
    if (issuer.length === 0 || anchorsBehind(issuer, anchors).length > 0) return [];
    const lost = anchorsBehind(issuer, bundle).map(called).join(" and ");
    return [
      `${key} lacks ${lost || "its anchor"}, under which cluster ${cluster} issues certificates now. Keep it beside the new one until an issuer under the new one is in place everywhere.`,
    ];
  });
  if (bereft.length > 0) return bereft;
  const names = [
    ...new Set(gone.flatMap(([, { bundle }]) => without(bundle, anchors).map(called))),
  ];
  const late = withOldCertificate(present, now, certificateLifetime);
  const until = renewedBy(present, certificateLifetime).toISOString();
  const blind = present.flatMap(([, { issuer }]) =>
    trustingNone(present, anchorsBehind(issuer, anchors)),
  );
  return [
    ...(late.length === 0
      ? []
      : [
          `${key} lacks ${names.join(" and ")}, under which certificates may still be in use. Keep it until these workloads are restarted${notBefore(restartFrom(present, now))}, or until ${until}: ${listed(late)}.`,
        ]),
    ...(blind.length === 0
      ? []
      : [
          `${key} lacks ${names.join(" and ")}, and some proxies trust nothing else that is in use. Keep it until these workloads are restarted: ${listed([...new Set(blind)])}.`,
        ]),
  ];
}

function stageOf({ anchors, live }: OwnTrust, goes: boolean, moves: boolean): Stage {
  if (goes) return "drop";
  if (moves) return "reissue";
  const same = presentIn(live).every(([, { bundle }]) => isSameSet(bundle, anchors));
  return same ? "settled" : "bundle";
}

function notesOf(stage: Stage): string[] {
  if (stage !== "bundle" && stage !== "reissue") return [];
  const what = stage === "bundle" ? "the new anchors" : "certificates of the new issuers";
  return [
    `Workloads get ${what} when they are restarted: restart every meshed workload on every cluster before the next change of linkerd-multicluster:trust.`,
  ];
}
