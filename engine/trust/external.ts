import type { StringMap } from "../kubernetes/objects/objects.ts";
import type { Result } from "../base/result.ts";
import { unique } from "./bundle.ts";
import { anchorsBehind, called } from "./certificate.ts";
import { expiringBundle, expiringIssuer } from "./expiry.ts";
import {
  issuerName,
  type LiveTrust,
  type LiveTrusts,
  type PresentTrust,
  presentIn,
  trustRootsKey,
  trustRootsName,
} from "./live.ts";
import { chainProblems } from "./requirements.ts";

interface ExternalNeeds {
  readonly linkerdNamespace: string;
  /** The control plane's namespace must have them. */
  readonly labels: StringMap;
}

/** It holds no contents of the trust objects. */
export interface ExternalFound {
  readonly namespace: { readonly labels: StringMap } | undefined;
  /** The ConfigMap with the bundle belongs to this Helm release. */
  readonly release: string | undefined;
  readonly hasBundle: boolean;
  readonly secret: { readonly type: string; readonly lacking: readonly string[] } | undefined;
}

/**
 * Returns sentences about what others, such as cert-manager and trust-manager, have not provided yet. The identity
 * controller doesn't start without it (linkerd-behaviour.md 9.2 and 9.4).
 */
export function missingExternal(
  cluster: string,
  found: Result<ExternalFound>,
  trust: LiveTrust,
  needs: ExternalNeeds,
  now: Date,
): readonly string[] {
  const unknown = (why: string) => [`What cluster ${cluster} provides is unknown, because ${why}.`];
  if ("why" in trust) return unknown(trust.why);
  if ("why" in found) return unknown(found.why);
  const lacking = missingObjects(cluster, found.value, needs);
  if (trust.value === undefined) return lacking;
  return [...lacking, ...issuerProblems(cluster, needs.linkerdNamespace, trust.value, now)];
}

function missingObjects(
  cluster: string,
  { namespace: home, release, hasBundle, secret }: ExternalFound,
  { linkerdNamespace: namespace, labels }: ExternalNeeds,
): string[] {
  if (home === undefined)
    return [
      `Cluster ${cluster} has no namespace ${namespace}: create it with the labels ${pairs(Object.entries(labels))}, and have the issuer and the trust bundle put into it.`,
    ];
  const unset = pairs(Object.entries(labels).filter(([key, value]) => home.labels[key] !== value));
  const rootsAt = `ConfigMap ${cluster}/${namespace}/${trustRootsName}`;
  const secretAt = `Secret ${cluster}/${namespace}/${issuerName}`;
  const lacking = secret?.lacking.join(" and no ") ?? "";
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
      `${secretAt} must be of type kubernetes.io/tls, with tls.crt and tls.key; ${lacking === "" ? `its type is ${secret.type}` : `it has no ${lacking}`}.`,
  ].filter((sentence) => sentence !== false);
}

function issuerProblems(
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

function pairs(labels: readonly (readonly [string, string])[]): string {
  return labels.map(([key, value]) => `${key}=${value}`).join(" ");
}

/** The notes name clusters whose proxies refuse each other. */
export function externalTrust(live: LiveTrusts) {
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
