import type { Bundle } from "./bundle.ts";
import { called, type Certificate } from "./certificate.ts";
import { listed } from "./proxies.ts";

const restart =
  "restart every meshed workload on every cluster, the gateways too (kubectl rollout restart)";

interface Waiting {
  /** From when restarts help; undefined: now. */
  readonly from: Date | undefined;
  /** When no restart is needed any more. */
  readonly renewed: Date;
}

/** What the person at the terminal is told of a rotation: what happens and what is theirs to do. */
export const tell = {
  bundle: (wanted: Certificate) =>
    `Rotation, step 1 of 3: this run lets every cluster trust ${called(wanted)} beside what it trusts now. Then ${restart}, and run again.`,

  reissue: (wanted: Certificate) =>
    `Rotation, step 2 of 3: this run replaces every issuer by one under ${called(wanted)}. Then wait five minutes, until no certificate comes from the old ones, ${restart}, and run again; or run again a day later, when all certificates have been renewed.`,

  drop: (old: Bundle) =>
    `Rotation, step 3 of 3: this run ends the trust in ${both(old)}. Proxies forget it when their workloads are restarted.`,

  unreadable: (wanted: Certificate, whys: readonly string[]) =>
    `The rotation to ${called(wanted)} stays where it is, because ${whys.join("; ")}.`,

  unread: (whys: readonly string[]) => `The rotation waits, because ${whys.join("; ")}.`,

  distrusting: (wanted: Certificate, pods: readonly string[]) =>
    `The rotation waits until all proxies trust ${called(wanted)}. Restart the workloads of ${counted(pods)} and run again: ${listed(pods)}.`,

  late: (old: Bundle, pods: readonly string[], { from, renewed }: Waiting) =>
    `The rotation waits until no certificate under ${both(old)} can be in use. Restart the workloads of ${counted(pods)}${notBefore(from)} and run again, or run again after ${renewed.toISOString()}: ${listed(pods)}.`,

  stranger: (cluster: string, issuer: Certificate, own: Bundle) =>
    `Cluster ${cluster} issues certificates with ${called(issuer)}, which is under none of this stack's anchors, ${both(own)}: to replace it at once would break its traffic. If a rotation was under way, set linkerd-multicluster:trust.generation back to the generation it led to; else give the anchors and issuers in use as linkerd-multicluster:trust.anchors and trust.issuers.`,

  blind: (whys: readonly string[]) =>
    `How far the rotation of the trust anchor has come can't be told, as no cluster with Linkerd could be read: ${whys.join("; ")}.`,
} as const;

/** Said of a restart that would be in vain before. */
export function notBefore(from: Date | undefined): string {
  if (from === undefined) return "";
  return ` (not before ${from.toISOString()}, as new pods may get a certificate of the old issuer until then)`;
}

function both(anchors: Bundle): string {
  return anchors.map(called).join(" and ");
}

function counted(pods: readonly string[]): string {
  return pods.length === 1 ? "1 pod" : `${pods.length} pods`;
}
