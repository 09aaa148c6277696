import type { Bundle } from "./bundle.ts";
import { called, type Certificate } from "./certificate.ts";
import { listedPods } from "./proxies.ts";

const restart =
  "restart every meshed workload on every cluster, the gateways last (kubectl rollout restart)";

interface Waiting {
  /** The time from which restarts help; undefined: now. */
  readonly from: Date | undefined;
  /** When no restart is needed any more. */
  readonly renewed: Date;
}

/** An anchor that is none of this stack's, in the trust bundles of these clusters. */
export interface UnknownAnchor {
  readonly anchor: Certificate;
  readonly clusters: readonly string[];
  /** Whether the config has it removed, as soon as that breaks nothing. */
  readonly goes: boolean;
}

interface Unfinished {
  /** Clusters without Linkerd, or that may be. */
  readonly fresh: readonly string[];
  /** Pods that may hold a certificate under it, or why these are unknown. */
  readonly late: readonly string[];
  readonly until: Date;
}

const adoptOrRemove =
  "To have every cluster trust it, add it to linkerd-multicluster:trust.extraAnchors; to remove it, set linkerd-multicluster:trust.unknownAnchors to remove";

/** Sentences about a rotation for the user: what happens, and what is left to do. */
export const texts = {
  bundle: (added: Bundle, by: string) =>
    `Rotation, step 1 of 3: ${by} adds ${both(added)} to the trust bundle of every cluster. Then ${restart}, and run again.`,

  reissue: (wanted: Certificate, by: string) =>
    `Rotation, step 2 of 3: ${by} replaces every issuer with one signed by ${called(wanted)}. Then wait five minutes, after which the old ones issue no more certificates, ${restart}, and run again; or run again a day later, when all certificates have been renewed.`,

  drop: (old: Bundle, by: string) =>
    `Rotation, step 3 of 3: ${by} removes ${both(old)} from every trust bundle. Proxies trust it until their workloads are restarted.`,

  unreadable: (wanted: Certificate, whys: readonly string[]) =>
    `The rotation to ${called(wanted)} is paused, because ${whys.join("; ")}.`,

  unread: (whys: readonly string[]) => `The rotation is paused, because ${whys.join("; ")}.`,

  distrusting: (wanted: Certificate, pods: readonly string[]) =>
    `The rotation waits until all proxies trust ${called(wanted)}. Restart the workloads of ${counted(pods)} and run again: ${listedPods(pods)}. ${notMine}`,

  late: (old: Bundle, pods: readonly string[], { from, renewed }: Waiting) =>
    `The rotation waits until no certificate under ${both(old)} can be in use. Restart the workloads of ${counted(pods)}${notBefore(from)} and run again, or run again after ${renewed.toISOString()}: ${listedPods(pods)}.`,

  unknownAnchor: ({ anchor, clusters, goes }: UnknownAnchor) =>
    goes
      ? `${trusting(clusters)} ${called(anchor)}, which is none of this stack's trust anchors. It is removed as soon as that breaks nothing, and given to no other cluster.`
      : `${trusting(clusters)} ${called(anchor)}, which is none of this stack's trust anchors. It stays there, and is given to no other cluster. ${adoptOrRemove}.`,

  unfinished: ({ anchor, clusters }: UnknownAnchor, { fresh, late, until }: Unfinished) =>
    `${trusting(clusters)} ${called(anchor)}, which is none of this stack's trust anchors, and certificates under it may still be in use: new clusters (${fresh.join(", ")}) would refuse them. Restart these workloads, or run again after ${until.toISOString()}: ${listedPods(late)}. Or have every cluster trust it: add it to linkerd-multicluster:trust.extraAnchors.`,

  unknownIssuer: (cluster: string, issuer: Certificate, own: Bundle) =>
    `Cluster ${cluster} uses the issuer ${called(issuer)}, which is not signed by any of this stack's trust anchors, ${both(own)}: replacing it at once would break its traffic. If a rotation was in progress, set linkerd-multicluster:trust.generation back to the generation that it was going to; otherwise provide the anchors and issuers in use as linkerd-multicluster:trust.anchors and trust.issuers.`,

  unapplied: (late: readonly { readonly name: string; readonly why?: string }[]) =>
    `Nothing new is published until every cluster has what was published last. Run the stacks of these, then this one again: ${listedPods(late.map(({ name, why }) => (why === undefined ? name : `${name} (${why})`)))}.`,

  passedOver: (clusters: readonly string[]) =>
    `What the last run has published has not come to every cluster yet (${listedPods(clusters)}), and this generation knows nothing of it: set linkerd-multicluster:trust.generation back to what it was, run the stacks of these clusters, and only then change it.`,

  progressUnknown: (whys: readonly string[]) =>
    `The progress of the trust anchor rotation is unknown, because no cluster with Linkerd could be read: ${whys.join("; ")}.`,
} as const;

/** The words about a restart that would have no effect before. */
export function notBefore(from: Date | undefined): string {
  if (from === undefined) return "";
  return ` (not before ${from.toISOString()}, since until then new pods may get a certificate from the old issuer)`;
}

const notMine =
  "What is no proxy of yours, or may break, goes into linkerd-multicluster:trust.ignorePods.";

function trusting(clusters: readonly string[]): string {
  return clusters.length === 1
    ? `Cluster ${clusters.join()} trusts`
    : `Clusters ${listedPods(clusters)} trust`;
}

function both(anchors: Bundle): string {
  return anchors.map(called).join(" and ");
}

function counted(pods: readonly string[]): string {
  return pods.length === 1 ? "1 pod" : `${pods.length} pods`;
}
