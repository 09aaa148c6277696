import { count, listed } from "../base/message.ts";
import type { Pod } from "../kubernetes/objects/workload-resource.ts";
import { type Bundle, has } from "../trust/bundle.ts";
import { proxyOf, type Roots } from "../trust/proxy.ts";
import { called, type Workload } from "./workload.ts";

/** The trust that the proxies of a cluster must have. */
export interface Standard {
  readonly linkerdNamespace: string;
  readonly roots: Roots;
  /** Every proxy must trust these. It is absent in a preview of the run that creates one of them. */
  readonly anchors?: Bundle;
  /** A proxy of a pod that was created earlier may have a certificate of the previous issuer. */
  readonly renewedFrom?: Date;
}

export interface Lag {
  readonly cause: "anchors" | "certificate";
  /** A clause about the pod. */
  readonly why: string;
}

/** Returns what a meshed pod gets only by a restart. */
export function lagOf(
  pod: Pod,
  { linkerdNamespace, roots, anchors, renewedFrom }: Standard,
): Lag | undefined {
  const [proxy] = proxyOf(pod, roots, linkerdNamespace);
  if (proxy === undefined) return undefined;
  const { trusts, started, createdAt } = proxy;
  if (anchors === undefined || anchors.some((anchor) => !has(trusts, anchor))) {
    const names = trusts.map(({ fingerprint }) => fingerprint.slice(0, 12)).join(" and ");
    const only = `its proxy trusts only anchor${trusts.length === 1 ? "" : "s"} ${names}`;
    const why = names === "" ? "its proxy started with an earlier trust bundle" : only;
    return { cause: "anchors", why };
  }
  const isOld = renewedFrom !== undefined && started && createdAt < renewedFrom;
  return isOld
    ? { cause: "certificate", why: "its certificate may be of the previous issuer" }
    : undefined;
}

/** A pod that lags behind. */
export interface Lagging {
  readonly pod: Pod;
  readonly lag: Lag;
  /** A clause says why no workload can be restarted. */
  readonly owner: Workload | string;
  /** This PodDisruptionBudget allows no disruption of it now. */
  readonly budget: string | undefined;
}

export interface Restart {
  readonly workload: Workload;
  readonly why: string;
}

export interface Decision {
  /** Workloads in the order in which they are restarted. */
  readonly restarts: readonly Restart[];
  /** Sentences name what somebody else has to restart. */
  readonly named: readonly string[];
  /** From then on, restarts get certificates of the new issuer. */
  readonly from?: Date;
}

const order = ["identity", "injector", "controlPlane", "workload", "gateway"] as const;

/** The kubelets of all injectors have the new bundle this many milliseconds after it has changed. */
const mounted = 10 * 60 * 1000;

/**
 * Decides from the live state alone, so that the next run continues after an interruption: a workload that was restarted
 * has no pod that lags behind, or a rollout under way.
 */
export function decide(
  lagging: readonly Lagging[],
  standard: Standard,
  now: Date,
  away: readonly string[],
): Decision {
  const { renewedFrom = now } = standard;
  const isEarly = renewedFrom > now;
  const named: string[] = [];
  const restarts: Restart[] = [];
  let isWaiting = false;
  for (const [owner, pods] of Map.groupBy(lagging, ({ owner }) => owner)) {
    const [first] = pods;
    if (first === undefined) continue;
    const { lag, budget } = pods.find((each) => each.lag.cause === "anchors") ?? first;
    if (typeof owner === "string") {
      for (const { pod, lag } of pods) named.push(`pod ${nameOf(pod)}: ${owner}; ${lag.why}`);
      continue;
    }
    if (lag.cause === "certificate" && isEarly) {
      isWaiting = true;
      continue;
    }
    const hindrance =
      owner.hindrance ??
      whyFutile(owner, lag, standard) ??
      whyKept(owner, budget) ??
      whyBlind(owner, away);
    if (hindrance !== undefined) named.push(`${called(owner)}: ${hindrance}; ${lag.why}`);
    else restarts.push({ workload: owner, why: `${count(pods.length, "pod")}: ${lag.why}` });
  }
  const rank = ({ workload }: Restart) => order.indexOf(workload.rank);
  restarts.sort((one, other) => rank(one) - rank(other));
  return { restarts, named, ...(isWaiting && { from: renewedFrom }) };
}

/** Whoever may create pods can imitate a proxy that no restart changes. */
function whyFutile(
  { rollout, restartedAt }: Workload,
  { cause }: Lag,
  { roots, renewedFrom }: Standard,
): string | undefined {
  const since = cause === "anchors" ? roots.since : renewedFrom;
  const isFutile =
    since !== undefined &&
    !rollout.isUnderWay &&
    restartedAt !== undefined &&
    restartedAt.getTime() > since.getTime() + mounted;
  if (!isFutile) return undefined;
  const at = `it was restarted at ${restartedAt.toISOString()}, and`;
  return cause === "anchors"
    ? `${at} its pods did not get the trust bundle: check Linkerd's injector`
    : `${at} pods from before are left: delete them`;
}

/** The budget of a rollout under way may be used up by it. */
function whyKept({ rollout }: Workload, budget: string | undefined): string | undefined {
  if (budget === undefined || rollout.isUnderWay) return undefined;
  return `its PodDisruptionBudget ${budget} allows no disruption`;
}

/** Linkerd's destination controller asks other clusters once, when it starts, and never again (linkerd-behaviour.md 5). */
function whyBlind({ rank, rollout }: Workload, away: readonly string[]): string | undefined {
  if (rank !== "controlPlane" || away.length === 0 || rollout.isUnderWay) return undefined;
  return `it waits until ${listed(away)} can be reached, because Linkerd would not discover the Services there after a restart`;
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
