import { has, isSameSet, without } from "../../trust/bundle.ts";
import { anchorsBehind, called, type Certificate } from "../../trust/certificate.ts";
import { timeProblem } from "../../trust/requirements.ts";
import type { HealthCheck, Finding, CheckedLink } from "../health-check.ts";
import type { LinkerdReading } from "../../mesh/reading.ts";
import { valueIn } from "../../result.ts";

export const anchorsShared: HealthCheck<CheckedLink> = {
  id: "trust-anchors-shared",
  title: "both clusters trust a common anchor",
  anchor: "l5d-multicluster-clusters-share-anchors",
  severity: "error",
  aboutLinkerd: true,
  run: (view) => {
    const { source, target } = view.link;
    const anchors = validAnchors(view);
    if ("skipped" in anchors) return anchors;
    const { ours, theirs } = anchors;
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
    const anchors = validAnchors(view);
    if ("skipped" in anchors) return anchors;
    const issuers = bothEnds(view, "issuer", ({ issuer }) => {
      const chain = valueIn(issuer) ?? [];
      return chain.length === 0 ? undefined : chain;
    });
    if ("skipped" in issuers) return issuers;
    return [
      ...untrusted(source, issuers.ours, target, anchors.theirs),
      ...untrusted(target, issuers.theirs, source, anchors.ours),
    ];
  },
};

/**
 * mTLS needs no common trust domain: a Link names the gateway's whole identity, and the destination controller's
 * credentials name the target's domain (linkerd2, multicluster/cmd/link.go and controller/api/destination/server.go).
 * In policies, a ServiceAccount or a namespace stands for identities in the cluster's own trust domain (linkerd2,
 * policy-controller/k8s/index/src/cluster_info.rs).
 */
export const domainsShared: HealthCheck<CheckedLink> = {
  id: "trust-domains-shared",
  title: "both clusters have the same trust domain",
  severity: "warning",
  aboutLinkerd: true,
  run: (view) => {
    const { source, target } = view.link;
    const domain = ({ domains }: LinkerdReading) => valueIn(domains)?.trustDomain;
    const domains = bothEnds(view, "trust domain", domain);
    if ("skipped" in domains) return domains;
    const { ours, theirs } = domains;
    if (ours === theirs) return [];
    return [
      `clusters ${source} and ${target} have different trust domains, ${ours} and ${theirs}: their proxies accept each other, but an authorization policy in ${target} that names a ServiceAccount or a namespace does not match clients in ${source}, so name these by their whole identities, which end in ${ours} (identities of a MeshTLSAuthentication)`,
    ];
  },
};

type BothEnds<T> = { readonly skipped: string } | { readonly ours: T; readonly theirs: T };

function bothEnds<T>(
  { link, source, target }: CheckedLink,
  what: string,
  of: (linkerd: LinkerdReading) => T | undefined,
): BothEnds<T> {
  const ours = source.linkerd && of(source.linkerd);
  const theirs = target.linkerd && of(target.linkerd);
  if (ours !== undefined && theirs !== undefined) return { ours, theirs };
  const cluster = ours === undefined ? link.source : link.target;
  return { skipped: `the ${what} of cluster ${cluster} can't be read` };
}

function validAnchors(view: CheckedLink): BothEnds<readonly Certificate[]> {
  return bothEnds(view, "trust anchors", ({ anchors }) =>
    valueIn(anchors)?.filter((anchor) => timeProblem(anchor, view.now) === undefined),
  );
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
