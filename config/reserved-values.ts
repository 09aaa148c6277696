import type { chartValues } from "./keys.ts";
import { sentence } from "./mistakes.ts";
import { isMap, type Readings } from "./read.ts";

type Reserved = Readonly<Record<string, string>>;

/**
 * Helm values that the program has to decide itself, because what it does elsewhere depends on them,
 * and what decides them. Every other value is the user's.
 */
const reserved: Readonly<Record<keyof typeof chartValues.keys, Reserved>> = {
  "linkerd-crds": { installGatewayAPI: "the cluster's gatewayApi decides it" },
  "linkerd-control-plane": {
    clusterDomain: "the cluster's clusterDomain decides it",
    identityTrustDomain: "the cluster's clusterDomain decides it",
    identityTrustAnchorsPEM: "trust.anchors decides it",
    "identity.externalCA": "trust decides where anchors come from",
    "identity.issuer.scheme": "the issuer is in a Secret of type kubernetes.io/tls",
    "identity.issuer.tls": "trust.issuers takes it, which keeps the key out of Helm's values",
  },
  "linkerd-multicluster": {
    linkerdNamespace: "linkerdNamespace decides it",
    identityTrustDomain: "the cluster's clusterDomain decides it",
    "gateway.enabled": "the cluster's gateway.enabled decides it",
    "gateway.name": "the cluster's gateway.name decides it",
    controllers: "the links' mirroring decides it",
    enableNamespaceCreation: "the links' createNamespaces decides it",
    "localServiceMirror.replicas": "the links' mirroring decides it",
  },
};

export function reservedValues({ clusters }: Readings): string[] {
  return [...(clusters?.values() ?? [])].flatMap(({ path, values, wrong }) => {
    if (wrong.has("values")) return [];
    const charts: Readonly<Record<string, unknown>> = values.values ?? {};
    return Object.entries(reserved).flatMap(([chart, keys]) =>
      Object.entries(keys)
        .filter(([key]) => isSet(charts[chart], key.split(".")))
        .map(([key, why]) => {
          const at = [...path, "values", chart, ...key.split(".")];
          return sentence(at, "is set", `it must be left out, as ${why}`);
        }),
    );
  });
}

function isSet(values: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  return isMap(values) && Object.hasOwn(values, first) && isSet(values[first], rest);
}
