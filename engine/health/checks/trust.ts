import { has, isSameSet, without } from "../../trust/bundle.ts";
import { anchorsBehind, called, type Certificate } from "../../trust/certificate.ts";
import { type HealthCheck, type Finding } from "../check.ts";
import type { ClusterFacts, CheckedLink } from "../view.ts";
import { isValid } from "./certificates.ts";

export const anchorsShared: HealthCheck<CheckedLink> = {
  id: "trust-anchors-shared",
  title: "both clusters trust a common anchor",
  anchor: "l5d-multicluster-clusters-share-anchors",
  severity: "error",
  aboutLinkerd: true,
  run: (view) => {
    const { source, target } = view.link;
    const anchors = bothSides(view);
    if ("skipped" in anchors) return anchors;
    const [ours, theirs] = anchors.valid;
    if (!ours.some((anchor) => has(theirs, anchor)))
      return [
        `clusters ${source} and ${target} have no valid trust anchor in common (${source} trusts ${names(ours)}; ${target} trusts ${names(theirs)}), so their proxies reject each other: add the anchors of each to the trust bundle of the other`,
      ];
    if (isSameSet(ours, theirs)) return [];
    const extra = [
      ...only(source, without(ours, theirs)),
      ...only(target, without(theirs, ours)),
    ].join(", and ");
    return [
      {
        sentence: `${extra}: fine during a rotation, but linkerd multicluster check expects the same anchors on both`,
        severity: "warning",
      },
    ];
  },
};

export const issuersTrusted: HealthCheck<CheckedLink> = {
  id: "issuers-trusted",
  title: "each cluster trusts the other's issuer",
  anchor: "l5d-identity-issuer-cert-issued-by-trust-anchor",
  severity: "error",
  aboutLinkerd: true,
  run: (view) => {
    const { source, target } = view.link;
    const anchors = bothSides(view);
    if ("skipped" in anchors) return anchors;
    const [ours, theirs] = anchors.valid;
    const issuers = [issuerOf(view.source), issuerOf(view.target)] as const;
    if (issuers[0] === undefined || issuers[1] === undefined) {
      const cluster = issuers[0] === undefined ? source : target;
      return { skipped: `the issuer of cluster ${cluster} can't be read` };
    }
    return [
      ...untrusted(source, issuers[0], target, theirs),
      ...untrusted(target, issuers[1], source, ours),
    ];
  },
};

/**
 * mTLS needs no common trust domain: a Link names the gateway by its whole identity, and the credentials
 * of the destination controller name the target's trust domain (linkerd2, multicluster/cmd/link.go and
 * controller/api/destination/server.go). Policies do: a reference to a ServiceAccount or a namespace
 * stands for identities in the cluster's own trust domain (linkerd2, policy-controller/k8s/index/src/cluster_info.rs).
 */
export const domainsShared: HealthCheck<CheckedLink> = {
  id: "trust-domains-shared",
  title: "both clusters have the same trust domain",
  severity: "warning",
  aboutLinkerd: true,
  run: ({ link: { source, target }, ...view }) => {
    const ours = trustDomainOf(view.source);
    const theirs = trustDomainOf(view.target);
    if (ours === undefined || theirs === undefined) {
      const cluster = ours === undefined ? source : target;
      return { skipped: `the trust domain of cluster ${cluster} can't be read` };
    }
    if (ours === theirs) return [];
    return [
      `clusters ${source} and ${target} have different trust domains, ${ours} and ${theirs}: their proxies accept each other, but an authorization policy in ${target} that names a ServiceAccount or a namespace does not match clients in ${source}, so name these by their whole identities, which end in ${ours} (identities of a MeshTLSAuthentication)`,
    ];
  },
};

function trustDomainOf({ linkerd }: ClusterFacts): string | undefined {
  if (linkerd === undefined || "why" in linkerd.domains) return undefined;
  return linkerd.domains.value?.trustDomain;
}

/** The anchors of source and target that have not expired. */
function bothSides({
  link,
  source,
  target,
  now,
}: CheckedLink):
  | { readonly skipped: string }
  | { readonly valid: readonly [readonly Certificate[], readonly Certificate[]] } {
  const ours = anchorsOf(source);
  const theirs = anchorsOf(target);
  if (ours === undefined || theirs === undefined) {
    const cluster = ours === undefined ? link.source : link.target;
    return { skipped: `the trust anchors of cluster ${cluster} can't be read` };
  }
  const valid = (anchor: Certificate) => isValid(anchor, now);
  return { valid: [ours.filter(valid), theirs.filter(valid)] };
}

function anchorsOf({ linkerd }: ClusterFacts): readonly Certificate[] | undefined {
  return linkerd === undefined || "why" in linkerd.anchors ? undefined : linkerd.anchors.value;
}

function issuerOf({ linkerd }: ClusterFacts): readonly Certificate[] | undefined {
  if (linkerd === undefined || "why" in linkerd.issuer) return undefined;
  return linkerd.issuer.value.length === 0 ? undefined : linkerd.issuer.value;
}

function untrusted(
  cluster: string,
  chain: readonly Certificate[],
  other: string,
  anchors: readonly Certificate[],
): Finding[] {
  const [issuer] = chain;
  if (issuer === undefined || anchorsBehind(chain, anchors).length > 0) return [];
  return [
    `the issuer of cluster ${cluster}, ${called(issuer)}, is not signed by any valid anchor that cluster ${other} trusts (${names(anchors)}), so proxies in ${other} reject those of ${cluster}: add its anchor to the trust bundle of ${other}, or give ${cluster} an issuer signed by one of these`,
  ];
}

function names(anchors: readonly Certificate[]): string {
  return anchors.length === 0 ? "none" : anchors.map(called).join(", ");
}

function only(cluster: string, anchors: readonly Certificate[]): string[] {
  return anchors.length === 0 ? [] : [`only cluster ${cluster} trusts ${names(anchors)}`];
}
