import type { GeneratedTrust } from "../config/mesh.ts";
import type { Bundle } from "./bundle.ts";
import type { Certificate } from "./certificate.ts";
import type { Watched } from "./expiry.ts";
import type { Given } from "./given.ts";

interface Generated {
  readonly wanted: Certificate;
  readonly previous?: Certificate | undefined;
  /** By cluster. */
  readonly issuers: ReadonlyMap<string, Certificate>;
}

/** What this stack made and clusters use. */
export function watchedGenerated(
  { generation, renewBeforeDays }: GeneratedTrust,
  { wanted, previous, issuers }: Generated,
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
  const old = previous !== undefined &&
    inUse && {
      certificate: previous,
      role: `the trust anchor of generation ${generation - 1}`,
      remedy: "Go on with the rotation until it is dropped.",
      succeeded: bundles.every((pem) => pem.includes(wanted.pem)),
    };
  const each = [...issuers].map(([cluster, certificate]) => ({
    certificate,
    role: `the issuer of cluster ${cluster}`,
    remedy: "Renew it: run pulumi up --refresh.",
    succeeded: false,
    renewBeforeDays,
  }));
  return [anchor, ...(old === false ? [] : [old]), ...each];
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
