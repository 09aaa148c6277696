import type { Bundle } from "./bundle.ts";
import type { Certificate } from "./certificate.ts";
import type { Watched } from "./expiry.ts";
import type { Given } from "../../components/trust/outputs.ts";

/** The anchors that this stack made, as far as clusters use them. */
export function watchedAnchors(
  generation: number,
  {
    wanted,
    previous,
  }: { readonly wanted: Certificate; readonly previous?: Certificate | undefined },
  given: Given,
): Watched[] {
  const anchor = {
    certificate: wanted,
    role: "the trust anchor",
    remedy: `Start a rotation: set linkerd-multicluster:trust.generation to ${generation + 1}.`,
    succeeded: false,
  };
  const bundles = Object.values(given.clusters).map(({ bundlePem }) => bundlePem);
  const inUse = bundles.some((pem) => previous !== undefined && pem.includes(previous.pem));
  if (previous === undefined || !inUse) return [anchor];
  const old = {
    certificate: previous,
    role: `the trust anchor of generation ${generation - 1}`,
    remedy: "Go on with the rotation until it is dropped.",
    succeeded: bundles.every((pem) => pem.includes(wanted.pem)),
  };
  return [anchor, old];
}

/** The issuers that this stack made, by cluster. */
export function watchedIssuers(
  { renewBeforeDays }: { readonly renewBeforeDays: number },
  issuers: ReadonlyMap<string, Certificate>,
): Watched[] {
  return [...issuers].map(([cluster, certificate]) => ({
    certificate,
    role: `the issuer of cluster ${cluster}`,
    remedy: "Renew it: run pulumi up --refresh.",
    succeeded: false,
    renewBeforeDays,
  }));
}

/** What the config brought along. */
export function watchedOwn(
  anchors: Bundle,
  issuers: ReadonlyMap<string, readonly Certificate[]>,
): Watched[] {
  const every = anchors.map((certificate, index) => ({
    certificate,
    role: anchors.length === 1 ? "the trust anchor" : `trust anchor ${index + 1}`,
    remedy:
      "Put a new one beside it in linkerd-multicluster:trust.anchors, and then issuers under that.",
    succeeded: anchors.some(({ notAfter }) => notAfter > certificate.notAfter),
  }));
  const each = [...issuers].flatMap(([cluster, [certificate]]) =>
    certificate === undefined
      ? []
      : [
          {
            certificate,
            role: `the issuer of cluster ${cluster}`,
            remedy: `Give a new one as linkerd-multicluster:trust.issuers.${cluster}.`,
            succeeded: false,
          },
        ],
  );
  return [...every, ...each];
}
