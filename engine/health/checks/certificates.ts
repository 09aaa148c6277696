import { called, type Certificate } from "../../trust/certificate.ts";
import { expiryNotices } from "../../trust/expiry.ts";
import { issuerName, trustRootsKey, trustRootsName } from "../../trust/live.ts";
import { anchorProblem, issuerProblem, timeProblem } from "../../trust/requirements.ts";
import {
  type HealthCheck,
  type Finding,
  unreadCluster,
  type CheckedCluster,
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
        `ConfigMap ${cluster}/${mesh.linkerdNamespace}/${trustRootsName} does not exist or has no ${trustRootsKey}, so Linkerd is not installed there: install it, or set manage: all`,
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
