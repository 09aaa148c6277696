import type { LinkerdReading } from "../../reading/reading.ts";
import { count, listed } from "../../base/message.ts";
import { valueIn } from "../../base/result.ts";
import { has, isSameSet, without } from "../../trust/bundle.ts";
import { anchorsBehind, called, type Certificate } from "../../trust/certificate.ts";
import { expiryNotices } from "../../trust/expiry.ts";
import { issuerName, trustRootsKey, trustRootsName } from "../../trust/live.ts";
import { anchorProblem, issuerProblem, timeProblem } from "../../trust/requirements.ts";
import {
  type HealthCheck,
  type Finding,
  toInstall,
  unreadCluster,
  type CheckedCluster,
  type CheckedLink,
} from "../health-check.ts";

export const anchorsValid: HealthCheck<CheckedCluster> = {
  id: "trust-anchors-valid",
  title: "the trust anchors are valid",
  anchor: "l5d-identity-trustAnchors-are-time-valid",
  severity: "error",
  aboutLinkerd: true,
  run: ({ mesh, cluster, now, reading: { linkerd } }) => {
    if (linkerd === undefined) return unreadCluster(cluster);
    const { anchors } = linkerd;
    if ("why" in anchors) return [anchors.why];
    if (anchors.value === undefined)
      return [
        `ConfigMap ${cluster}/${mesh.linkerdNamespace}/${trustRootsName} does not exist or has no ${trustRootsKey}, so Linkerd is not installed there: ${toInstall(mesh.manage, "it")}`,
      ];
    const remedy = remedyIn(mesh.manage, "Add a new one to the trust bundle");
    const { value } = anchors;
    return value.flatMap((anchor) => {
      const role = `the trust anchor of cluster ${cluster}`;
      // An expired anchor in a bundle breaks nothing while another one is valid.
      const isSpare = value.some((other) => other !== anchor && !timeProblem(other, now));
      const problem = anchorProblem(anchor);
      return [...misfit(role, anchor, problem), ...lifetime(role, anchor, remedy, now, isSpare)];
    });
  },
};

export const issuerValid: HealthCheck<CheckedCluster> = {
  id: "issuer-valid",
  title: "the issuer's certificate is valid",
  anchor: "l5d-identity-issuer-cert-is-time-valid",
  severity: "error",
  aboutLinkerd: true,
  run: ({ mesh, cluster, now, reading: { linkerd } }) => {
    if (linkerd === undefined) return unreadCluster(cluster);
    const { anchors, issuer } = linkerd;
    if ("value" in anchors && anchors.value === undefined)
      return { skipped: `Linkerd is not installed in cluster ${cluster}` };
    if ("why" in issuer) return [issuer.why];
    const certificate = issuer.value[0];
    if (certificate === undefined)
      return [
        {
          sentence: `Secret ${cluster}/${mesh.linkerdNamespace}/${issuerName} does not exist or has no certificate, so Linkerd can't issue certificates to workloads there: check what is meant to issue it`,
          fix: "pulumi up --refresh",
        },
      ];
    const role = `the issuer of cluster ${cluster}`;
    const remedy = remedyIn(mesh.manage, "Renew it");
    return [
      ...misfit(role, certificate, issuerProblem(certificate)),
      ...lifetime(role, certificate, remedy, now),
    ];
  },
};

/** This only warns, because an anchor that proxies lack breaks nothing until an issuer is under it. */
export const proxiesCurrent: HealthCheck<CheckedCluster> = {
  id: "proxies-trust-anchors",
  title: "all proxies trust the anchors of their cluster",
  finds: "during a rotation, pods that have to be restarted to get a trust anchor: a warning",
  severity: "warning",
  appliesTo: ({ reading: { linkerd } }) => linkerd?.podsBehind !== undefined,
  run: ({ cluster, reading: { linkerd } }) => {
    const { podsBehind } = linkerd ?? {};
    if (podsBehind === undefined) return unreadCluster(cluster);
    if ("why" in podsBehind) return { skipped: `its pods can't be read: ${podsBehind.why}` };
    const { value: pods } = podsBehind;
    if (pods.length === 0) return [];
    return [
      `the proxies of ${count(pods.length, "pod")} in cluster ${cluster} lack a trust anchor of its bundle: restart their workloads (${listed(pods)}), or let runs do it (linkerd-multicluster:trust.restart)`,
    ];
  },
};

function misfit(role: string, certificate: Certificate, rule: string | undefined): Finding[] {
  if (rule === undefined) return [];
  return [`${role}, ${called(certificate)}, must be ${rule}, or Linkerd refuses it`];
}

function lifetime(
  role: string,
  certificate: Certificate,
  remedy: string,
  now: Date,
  isSpare = false,
): Finding[] {
  const severity = isSpare || !timeProblem(certificate, now) ? "warning" : "error";
  if (now < certificate.notBefore) {
    const since = certificate.notBefore.toISOString();
    const sentence = `${role}, ${called(certificate)}, is not valid before ${since}: check the clocks`;
    return [{ sentence, severity }];
  }
  // A notice's severity tells when to act; only an expired certificate breaks something now.
  const notices = expiryNotices([{ certificate, role, remedy, succeeded: true }], now);
  return notices.map(({ message }) => ({ sentence: message, severity }));
}

function remedyIn(manage: string, what: string): string {
  return manage === "all"
    ? `${what}: see linkerd-multicluster:trust.`
    : `${what}: this stack does not manage Linkerd there.`;
}

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
  finds: "an issuer that the other cluster of a link does not trust",
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
  finds: "different trust domains in the clusters of a link: a warning",
  severity: "warning",
  aboutLinkerd: true,
  run: (view) => {
    const { source, target } = view.link;
    const domain = ({ config }: LinkerdReading) => valueIn(config)?.domains?.trustDomain;
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
