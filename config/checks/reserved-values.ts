import { isRecord } from "@linkerd-multicluster/engine/kubernetes";
import { chartKeys, type ChartName, chartNames } from "../keys/chart-keys.ts";
import { mustBeLeftOut, wrongValue } from "../read/mistakes.ts";
import { type Readings, valueAt } from "../read/read.ts";

type Reserved = Readonly<Record<string, string>>;

/**
 * The program sets these Helm values itself, because other decisions depend on them. Each has the key that controls it.
 * All other values are the user's.
 */
const reserved: Readonly<Record<ChartName, Reserved>> = {
  "linkerd-crds": { installGatewayAPI: "the cluster's gatewayApi decides it" },
  "linkerd-control-plane": {
    clusterDomain: "the cluster's clusterDomain decides it",
    identityTrustDomain: "trustDomain decides it",
    identityTrustAnchorsPEM: "trust.anchors decides it",
    "identity.externalCA": "trust decides where anchors come from",
    "identity.issuer.scheme": "the issuer is in a Secret of type kubernetes.io/tls",
    "identity.issuer.tls": "set it in trust.issuers, which keeps the key out of Helm's values",
  },
  "linkerd-multicluster": {
    linkerdNamespace: "linkerdNamespace decides it",
    identityTrustDomain: "trustDomain decides it",
    "gateway.enabled": "the cluster's gateway.enabled decides it",
    "gateway.name": "the cluster's gateway.name decides it",
    createNamespaceMetadataJob: "the program labels the namespace itself",
    remoteMirrorServiceAccount: "each link gets an account of its own",
    controllers: "the links' mirroring decides it",
    enableNamespaceCreation: "the links' createNamespaces decides it",
    "localServiceMirror.replicas": "the links' mirroring decides it",
  },
};

export function reservedValues({ clusters, stack }: Readings): string[] {
  const { charts } = stack.values;
  const ofClusters = [...(clusters?.values() ?? [])].flatMap(({ path, values, wrong }) =>
    wrong.has("values")
      ? []
      : chartNames.map((chart) => ({
          chart,
          at: [...path, "values", chart],
          values: values.values?.[chart],
        })),
  );
  const ofAll = chartNames.map((chart) => {
    const { nested, values } = charts[chartKeys[chart]] ?? {};
    const within = nested === undefined ? [] : [nested];
    return {
      chart,
      at: ["charts", chartKeys[chart], "values", ...within],
      values: valueAt(values, ...within),
    };
  });
  return [...ofClusters, ...ofAll].flatMap(({ chart, at, values }) => {
    const keys = Object.entries(reserved[chart]);
    const set = keys
      .filter(([key]) => isSet(values, key.split(".")))
      .map(([key, why]) => mustBeLeftOut([...at, ...key.split(".")], `, as ${why}`));
    const emptied = [...emptiedMaps(values, Object.keys(reserved[chart]))].map(([parent, key]) => {
      const steps = parent.split(".");
      const rule = `a map or be left out, as it would remove ${key}, which the program decides`;
      return wrongValue([...at, ...steps], valueAt(values, ...steps), rule);
    });
    return [...set, ...emptied];
  });
}

function isSet(values: unknown, steps: readonly string[]): boolean {
  const parent = valueAt(values, ...steps.slice(0, -1));
  return isRecord(parent) && Object.hasOwn(parent, steps.at(-1) ?? "");
}

/**
 * Returns each map above a reserved value that is set to something else, with the first reserved value that it would
 * replace.
 */
function emptiedMaps(values: unknown, keys: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const key of keys) {
    const steps = key.split(".");
    const parents = steps.slice(1).map((_, index) => steps.slice(0, index + 1));
    const parent = parents
      .find((at) => isSet(values, at) && !isRecord(valueAt(values, ...at)))
      ?.join(".");
    if (parent !== undefined && !found.has(parent)) found.set(parent, key);
  }
  return found;
}
