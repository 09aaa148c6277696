import { called, type Certificate } from "../../trust/certificate.ts";
import { expiryNotices } from "../../trust/expiry.ts";
import { issuerName, trustRootsKey, trustRootsName } from "../../trust/live.ts";
import { anchorProblem, issuerProblem } from "../../trust/requirements.ts";
import { type Check, type Finding, unread } from "../check.ts";
import type { ClusterView } from "../view.ts";

export const anchorsValid: Check<ClusterView> = {
  id: "trust-anchors-valid",
  title: "the trust anchors are valid",
  anchor: "l5d-identity-trustAnchors-are-time-valid",
  severity: "error",
  aboutLinkerd: true,
  run: ({ mesh, cluster, now, reading: { linkerd } }) => {
    if (linkerd === undefined) return unread(cluster);
    const { anchors } = linkerd;
    if ("why" in anchors) return [{ sentence: anchors.why }];
    if (anchors.value === undefined)
      return [
        {
          sentence: `ConfigMap ${cluster}/${mesh.linkerdNamespace}/${trustRootsName} does not exist or has no ${trustRootsKey}, so Linkerd is not installed there: install it, or set manage: all`,
        },
      ];
    const remedy = remedyIn(mesh.manage, "Add a new one to the trust bundle");
    return anchors.value.flatMap((anchor, _, all) => {
      const role = `the trust anchor of cluster ${cluster}`;
      // One that is left in a bundle breaks nothing while another one is valid.
      const isSpare = all.some((other) => other !== anchor && isValid(other, now));
      return [
        ...misfit(role, anchor, anchorProblem(anchor)),
        ...lifetime(role, anchor, remedy, now).map((finding) =>
          isSpare ? { ...finding, severity: "warning" as const } : finding,
        ),
      ];
    });
  },
};

export const issuerValid: Check<ClusterView> = {
  id: "issuer-valid",
  title: "the issuer's certificate is valid",
  anchor: "l5d-identity-issuer-cert-is-time-valid",
  severity: "error",
  aboutLinkerd: true,
  run: ({ mesh, cluster, now, reading: { linkerd } }) => {
    if (linkerd === undefined) return unread(cluster);
    const { anchors, issuer } = linkerd;
    if ("value" in anchors && anchors.value === undefined)
      return { skipped: `Linkerd is not installed in cluster ${cluster}` };
    if ("why" in issuer) return [{ sentence: issuer.why }];
    const certificate = issuer.value[0];
    if (certificate === undefined)
      return [
        {
          sentence: `Secret ${cluster}/${mesh.linkerdNamespace}/${issuerName} does not exist or has no certificate, so Linkerd can't issue certificates to workloads there: run pulumi up --refresh, or check what is meant to issue it`,
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

/** Whether it is within its lifetime. */
export function isValid({ notBefore, notAfter }: Certificate, now: Date): boolean {
  return notBefore <= now && now < notAfter;
}

function misfit(role: string, certificate: Certificate, rule: string | undefined): Finding[] {
  if (rule === undefined) return [];
  return [{ sentence: `${role}, ${called(certificate)}, must be ${rule}, or Linkerd refuses it` }];
}

function lifetime(role: string, certificate: Certificate, remedy: string, now: Date): Finding[] {
  const { notBefore, notAfter } = certificate;
  if (now < notBefore)
    return [
      {
        sentence: `${role}, ${called(certificate)}, is not valid before ${notBefore.toISOString()}: check the clocks`,
      },
    ];
  // `succeeded` makes them all warnings: only what has expired is an error here.
  const expiring = { certificate, role, remedy, succeeded: true };
  return expiryNotices([expiring], now).map(({ message }) => ({
    sentence: message,
    severity: notAfter <= now ? "error" : "warning",
  }));
}

function remedyIn(manage: string, what: string): string {
  return manage === "all"
    ? `${what}: see linkerd-multicluster:trust.`
    : `${what}: this stack does not manage Linkerd there.`;
}
