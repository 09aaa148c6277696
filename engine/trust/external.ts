import type { ConfigMap, Namespace, Secret } from "../kubernetes/objects/objects.ts";
import { type Bundle, unique } from "./bundle.ts";
import { anchorsBehind, called } from "./certificate.ts";
import { type Expiring, expiringBundle, expiringIssuer } from "./expiry.ts";
import {
  issuerName,
  type LiveTrusts,
  type PresentTrust,
  presentIn,
  trustRootsKey,
  trustRootsName,
} from "./live.ts";
import { chainProblems } from "./requirements.ts";

/**
 * Trust that others, such as cert-manager and trust-manager, provide on each cluster. The chart is then installed
 * with `identity.externalCA: true` and `identity.issuer.scheme: kubernetes.io/tls` (linkerd-behaviour.md 9.2 and
 * 9.4), and the identity controller doesn't start without both objects.
 */
export interface ExternalNeeds {
  readonly linkerdNamespace: string;
  /** Labels that the control plane's namespace must have. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Trust objects that were found on one cluster. */
export interface ExternalFound {
  readonly home: Namespace | undefined;
  readonly roots: ConfigMap | undefined;
  readonly secret: Secret | undefined;
}

/** Returns sentences about objects and labels that the cluster lacks. */
export function missingObjects(
  cluster: string,
  { home, roots, secret }: ExternalFound,
  { linkerdNamespace: namespace, labels }: ExternalNeeds,
): string[] {
  if (home === undefined)
    return [
      `Cluster ${cluster} has no namespace ${namespace}: create it with the labels ${pairs(labels)}, and have the issuer and the trust bundle put into it.`,
    ];
  const unset = pairs(
    Object.fromEntries(
      Object.entries(labels).filter(([key, value]) => home.metadata.labels?.[key] !== value),
    ),
  );
  const rootsAt = `ConfigMap ${cluster}/${namespace}/${trustRootsName}`;
  const release = roots?.metadata.annotations?.["meta.helm.sh/release-name"];
  const hasBundle = (roots?.data?.[trustRootsKey] ?? "").trim() !== "";
  const secretAt = `Secret ${cluster}/${namespace}/${issuerName}`;
  const lacking = ["tls.crt", "tls.key"].filter((key) => !secret?.data?.[key]).join(" and no ");
  const isTls = secret?.type === "kubernetes.io/tls" && lacking === "";
  return [
    unset !== "" &&
      `Namespace ${cluster}/${namespace} must have the labels ${unset}: kubectl label namespace ${namespace} ${unset}`,
    release !== undefined &&
      `${rootsAt} belongs to the Helm release ${release}, which would delete it: a cluster whose trust this program or Helm provides can't be switched to trust.external.`,
    !hasBundle &&
      `${rootsAt} does not exist or has no ${trustRootsKey}: have trust-manager, or whoever provides the trust bundle, create it.`,
    secret === undefined &&
      `${secretAt} does not exist: have cert-manager, or whoever issues it, create it, of type kubernetes.io/tls.`,
    secret !== undefined &&
      !isTls &&
      `${secretAt} must be of type kubernetes.io/tls, with tls.crt and tls.key; ${lacking === "" ? `its type is ${secret.type ?? "Opaque"}` : `it has no ${lacking}`}.`,
  ].filter((sentence) => sentence !== false);
}

/** Returns why the identity controller wouldn't start, or would issue nothing that proxies accept. */
export function issuerProblems(
  cluster: string,
  namespace: string,
  { bundle: anchors, issuer: chain }: PresentTrust,
  now: Date,
): string[] {
  const at = `in Secret ${cluster}/${namespace}/${issuerName}`;
  const those = `an anchor in ConfigMap ${cluster}/${namespace}/${trustRootsName}`;
  return chainProblems(chain, { anchors, those, now }).map(({ certificate, problem }) => {
    const what = certificate === chain[0] ? "issuer" : "issuer's chain";
    return `The ${what} ${at}, ${called(certificate)}, must be ${problem}.`;
  });
}

function pairs(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}

export interface ExternalTrust {
  /** Every anchor that a cluster trusts. */
  readonly anchors: Bundle;
  readonly expiring: readonly Expiring[];
  /** Sentences about clusters whose proxies refuse each other. */
  readonly notes: readonly string[];
}

export function externalTrust(live: LiveTrusts): ExternalTrust {
  const present = presentIn(live);
  const notes = present.flatMap(([cluster, { issuer }]) => {
    const refusing = present.filter(
      ([other, { bundle }]) => other !== cluster && anchorsBehind(issuer, bundle).length === 0,
    );
    if (issuer.length === 0 || refusing.length === 0) return [];
    const where = refusing.map(([name]) => name).join(", ");
    return [
      `No anchor that ${where} trusts has signed the issuer of cluster ${cluster}, so proxies there refuse those of ${cluster}: add its anchor to their trust bundles, then restart their control planes and workloads.`,
    ];
  });
  const expiring = present.flatMap(([cluster, { bundle, issuer }]) => [
    ...expiringBundle(
      bundle,
      "Whoever provides the trust bundle must add its successor.",
      (nth) => `${nth} of cluster ${cluster}`,
    ),
    ...expiringIssuer(cluster, issuer, "Find out why it is not renewed."),
  ]);
  return { anchors: unique(present.flatMap(([, { bundle }]) => bundle)), expiring, notes };
}
