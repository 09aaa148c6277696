import { listed } from "../message.ts";
import { has, without } from "./bundle.ts";
import { anchorsBehind, called, calledAll, mostCertificates } from "./certificate.ts";
import { trustRootsName, unreadableIn } from "./live.ts";
import { dayLong, renewedBy, unreadProxies, withOldCertificate } from "./proxies.ts";
import type { Facts, Rotation } from "./rotation.ts";

/** A cluster that gets nothing in this run, and why. */
export interface Refused {
  readonly cluster: string;
  readonly why: string;
}

/** Issuers that neither generation signed; this stack has no key to continue from them. */
export function unknownIssuers({ present, own }: Facts): Refused[] {
  return present.flatMap(([cluster, { issuer }]) => {
    const [first] = issuer;
    if (first === undefined || anchorsBehind(issuer, own).length > 0) return [];
    const why = `Cluster ${cluster} uses the issuer ${called(first)}, which is not signed by any of this stack's trust anchors, ${calledAll(own)}: replacing it at once would break its traffic. If a rotation was in progress, set linkerd-multicluster:trust.generation back to the generation that it was going to; otherwise provide the anchors and issuers in use as linkerd-multicluster:trust.anchors and trust.issuers.`;
    return [{ cluster, why }];
  });
}

/** Foreign anchors that are written back to a cluster must form a bundle that can be read again. */
export function tooManyAnchors({ present, known }: Facts): Refused[] {
  return present.flatMap(([cluster, { bundle }]) => {
    const unknown = without(bundle, known);
    if (unknown.length === 0 || unknown.length + known.length <= mostCertificates) return [];
    const why = `Cluster ${cluster} trusts ${unknown.length} anchors that are none of this stack's, and a trust bundle has at most ${mostCertificates}: remove those that nobody needs from ConfigMap ${trustRootsName} there, and run again.`;
    return [{ cluster, why }];
  });
}

/** Clusters that may be new have to wait while nobody can tell what they must trust: the others need no change for them. */
export function refusedNewcomers(
  fresh: readonly string[],
  rotation: Rotation,
  facts: Facts,
): Refused[] {
  const reasons = facts.isUnknown
    ? [
        `The progress of the trust anchor rotation is unknown, because no cluster with Linkerd could be read: ${unreadableIn(rotation.live).join("; ")}.`,
      ]
    : unfinished(fresh, rotation, facts);
  if (reasons.length === 0) return [];
  return fresh.map((cluster) => ({ cluster, why: reasons.join(" ") }));
}

/**
 * An anchor that is none of the stack's, and that all clusters trust, may be that of a generation whose rotation was
 * never finished, with certificates under it still in use. A new cluster would refuse these.
 */
function unfinished(
  fresh: readonly string[],
  { live, now, certificateLifetime = dayLong }: Rotation,
  { present, unknownAnchors, trusting }: Facts,
): string[] {
  const late = [
    // An unreadable cluster may be new, or hold such certificates, but not both.
    ...(live.size - present.length > 1 ? unreadableIn(live) : []),
    ...unreadProxies(present),
    ...withOldCertificate(present, now, certificateLifetime),
  ];
  if (fresh.length === 0 || late.length === 0) return [];
  const until = renewedBy(present, certificateLifetime);
  const shared = unknownAnchors.filter((anchor) =>
    present.every(([, { bundle }]) => has(bundle, anchor)),
  );
  return shared.map(
    (anchor) =>
      `${trusting(anchor)}, which is none of this stack's trust anchors, and certificates under it may still be in use: new clusters (${fresh.join(", ")}) would refuse them. Restart these workloads, or run again after ${until.toISOString()}: ${listed(late)}. Or have every cluster trust it: add it to linkerd-multicluster:trust.extraAnchors.`,
  );
}
