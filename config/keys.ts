import * as z from "zod";
import {
  linkDefaults as engine,
  linkerdGateway,
  mostBackends,
} from "@linkerd-multicluster/engine/mirroring";
import * as links from "./link-keys.ts";
import {
  anything,
  choice,
  type Keys,
  list,
  off,
  oneOf,
  required,
  type Section,
  section,
  wholeNumber,
  withDefault,
} from "./schema.ts";
import * as syntax from "./syntax.ts";

/**
 * Every key of the stack config, here and in link-keys.ts: its type, default, meaning, and the rule for its mistakes.
 * Schemas, defaults, messages, Pulumi.yaml and the reference (`npm run docs`) are derived from this one table. Keys
 * are a promise: adding one is free, changing the meaning of one is not.
 */

const helmValuesOf = (whose: string) =>
  withDefault(
    z.record(z.string(), z.unknown(), { error: "a map of Helm values" }),
    {},
    `Helm values of ${whose} chart`,
  );

/** The charts in the order of installation: each needs the one before it. */
export const chartValues = section("a cluster's values", {
  "linkerd-crds": helmValuesOf("the CRDs'"),
  "linkerd-control-plane": helmValuesOf("the control plane's"),
  "linkerd-multicluster": helmValuesOf("the multicluster extension's"),
});

export type ChartName = keyof typeof chartValues.keys;

export const chartNames = Object.keys(chartValues.keys) as readonly ChartName[];

export const cluster = section("a cluster", {
  context: {
    type: syntax.oneLine("the name of a kubeconfig context"),
    otherwise: "the cluster's name",
    meaning: "the context in the kubeconfig",
  },
  kubeconfig: {
    type: syntax.oneLine("the path of a kubeconfig file, never its content"),
    otherwise: "`KUBECONFIG`, then the default file",
    confidential: true,
    meaning: "path of a kubeconfig file, never its content",
  },
  clusterDomain: withDefault(syntax.domain, engine.targetDomain, "the cluster's own DNS domain"),
  trustDomain: {
    type: syntax.domain,
    otherwise: "the mesh's `trustDomain`",
    meaning: "with `manage: all`, a trust domain of the cluster's own (docs/guides/trust.md)",
  },
  apiServer: {
    type: syntax.apiServer,
    otherwise: "the kubeconfig's server",
    meaning: "https URL at which the other clusters reach this cluster's API server",
  },
  gateway: {
    type: links.clusterGatewayOrFlat,
    otherwise: "the gateway Service",
    of: links.clusterGateway,
    meaning:
      "the `gateway` of every link that targets this cluster and has none of its own; `enabled` beside its keys says whether the cluster gets one",
  },
  privateUnlessListed: off(
    "other clusters import only Services of this one whose annotation `linkerd-multicluster/clusters` names them (docs/guides/imports.md); not with `mirroring: controller` on a link that targets it",
  ),
  values: {
    type: chartValues.schema,
    default: {},
    confidential: true,
    meaning:
      "Helm values by chart: `linkerd-crds`, `linkerd-control-plane`, `linkerd-multicluster`",
  },
  uid: {
    type: syntax.oneLine("the UID of the cluster's namespace kube-system"),
    otherwise: "that of the first run",
    meaning:
      "UID that the cluster's namespace `kube-system` must have; to accept a cluster that was recreated, set its new UID",
  },
  failover: {
    type: z.record(
      syntax.serviceKey,
      list(z.string({ error: "the name of a cluster, or local" }), "a list of clusters").max(
        mostBackends,
        { error: `at most ${mostBackends} clusters` },
      ),
      { error: "a map from namespace/name of a Service to a list of clusters" },
    ),
    default: {},
    meaning:
      "by `namespace/name` of a Service, the clusters to which its requests go, the first one with endpoints: `local` is this cluster, all others are targets of its links (docs/guides/failover.md)",
  },
  revoked: off(
    "`true`: no run contacts the cluster, and its accounts and mirrors in the other clusters are deleted (docs/guides/revoke.md)",
  ),
  adopt: off(
    "with `manage: all`, take over the namespaces and the issuer's Secret that exist already; for charts that Helm or Linkerd's CLI installed (docs/guides/migrate.md)",
  ),
  gatewayApi: choice(
    ["install", "assume"],
    "the Gateway API's CRDs: `install` them with the chart `linkerd-crds`, or `assume` that they are installed already",
  ),
});

const days = wholeNumber("a whole number of days from 1 to 36500", 36500);

export const generatedTrust = {
  generation: withDefault(
    wholeNumber("a positive whole number"),
    1,
    "increment to rotate the trust anchor, step by step over the next runs",
  ),
  anchorValidityDays: withDefault(days, 3650, "how many days a new trust anchor is valid"),
  issuerValidityDays: withDefault(days, 365, "how many days a new issuer is valid"),
  renewBeforeDays: withDefault(
    days,
    60,
    "an issuer is renewed this many days before it expires; less than `issuerValidityDays`",
  ),
  unknownAnchors: choice(
    ["keep", "remove"],
    "trust anchors in a cluster's bundle that are not this stack's: `keep` leaves and reports them, `remove` removes them once that breaks nothing",
  ),
} satisfies Keys;

export const issuer = section("an issuer", {
  certificate: required(syntax.pem("a certificate"), "PEM of the issuer's certificate"),
  key: required(
    syntax.pem("a private key"),
    "PEM of its private key, which must be a secret of the stack config",
  ),
});

const trust = section("trust", {
  external: off(
    "`true`: cert-manager and trust-manager, or others, provide issuers and trust bundles on the clusters (docs/guides/trust.md)",
  ),
  stack: {
    type: syntax.stackName,
    otherwise: "this stack",
    meaning:
      "a stack with `manage: trust`, as `<organization>/<project>/<stack>`, from which this one takes anchors and issuers (docs/guides/fleet.md)",
  },
  ...generatedTrust,
  extraAnchors: {
    type: syntax.pem("trust anchors"),
    otherwise: "none",
    meaning:
      "PEM of trust anchors that every cluster trusts beside the generated one, such as those of another mesh",
  },
  ignorePods: withDefault(
    list(syntax.podsOfCluster, "a list of pods"),
    [],
    "pods that a rotation does not wait for: `<cluster>/<namespace>/<pod>`, `<cluster>/<namespace>` or `<cluster>`; meshed ones lose connections",
  ),
  anchors: {
    type: syntax.pem("trust anchors"),
    otherwise: "generated",
    meaning: "PEM of your own trust anchors, whose private keys stay with you; needs `issuers`",
  },
  issuers: {
    type: z.record(z.string(), issuer.schema, { error: "a map of issuers by cluster" }),
    otherwise: "generated",
    of: issuer,
    meaning:
      "your own issuers: a map from every cluster to its `certificate` and `key`, both PEM; set the key with `pulumi config set --secret --path 'linkerd-multicluster:trust.issuers.<cluster>.key'`",
  },
});

const digestOf = (chart: string) => required(syntax.digest, `digest of the chart \`${chart}\``);

/** Digests are set for all charts or none; a chart without one would bypass those of the others. */
const digests = section("the charts' digests", {
  "linkerd-crds": digestOf("linkerd-crds"),
  "linkerd-control-plane": digestOf("linkerd-control-plane"),
  "linkerd-multicluster": digestOf("linkerd-multicluster"),
});

/** The keys of the charts in `charts`: words that every language of the Pulumi package takes as names. */
export const chartKeys = {
  "linkerd-crds": "crds",
  "linkerd-control-plane": "controlPlane",
  "linkerd-multicluster": "multicluster",
} as const satisfies Record<ChartName, string>;

/** Settings that differ from one chart to the next, which Buoyant Enterprise for Linkerd needs. */
export const chart = section("a chart", {
  name: {
    type: syntax.oneLine("the name of a chart"),
    otherwise: "that of Linkerd's own chart",
    meaning: "its name in the repository, such as `linkerd-enterprise-control-plane`",
  },
  repository: {
    type: syntax.chartSource,
    otherwise: "`charts.source`",
    meaning: "where it comes from, if not from `charts.source`",
  },
  version: {
    type: syntax.chartVersion,
    otherwise: "`charts.version`",
    meaning: "its version, if not `charts.version`",
  },
  nested: {
    type: syntax.oneLine("the name of a nested chart"),
    otherwise: "not nested",
    meaning:
      "name of Linkerd's own chart within it: this program's values and those of `clusters.<name>.values` go under this key",
  },
  values: {
    type: z.record(z.string(), z.unknown(), { error: "a map of Helm values" }),
    default: {},
    confidential: true,
    meaning:
      "Helm values for every cluster, such as a license: set secret ones with `pulumi config set --secret --path`; they are encrypted in state",
  },
});

const chartOf = (what: string) => ({
  type: chart.schema,
  default: {},
  of: chart,
  meaning: `${what} chart, where it differs`,
});

/**
 * The only place that names a version of Linkerd: release edge-26.8.3, with whose service mirror this project's
 * behaviour is compared. The charts of an edge release are versioned by its date.
 */
export const charts = section("charts", {
  version: withDefault(syntax.chartVersion, "2026.8.3", "version of the three charts"),
  source: withDefault(
    syntax.chartSource,
    "https://helm.linkerd.io/edge",
    "a Helm repository, an `oci://` address, or a local folder that holds each chart as a folder or an archive",
  ),
  timeoutSeconds: withDefault(
    wholeNumber("a positive whole number of seconds"),
    600,
    "how many seconds to wait for each chart to become ready",
  ),
  digests: {
    type: digests.schema,
    otherwise: "not compared",
    of: digests,
    meaning:
      "by chart, the only digest that is installed, as `sha256:<64 hexadecimal digits>`: of its archive in a local folder, or of its manifest at an `oci://` address",
  },
  crds: chartOf("the CRDs'"),
  controlPlane: chartOf("the control plane's"),
  multicluster: chartOf("the multicluster extension's"),
});

export const topologyRule =
  "none, mesh, {hub: <cluster>} or {regions: {<region>: [<cluster>, ...]}}";

const clusterName = z.string({ error: "the name of a configured cluster" });

const topology = section("a topology", {
  hub: {
    type: clusterName,
    otherwise: "no hub",
    meaning: "the cluster that is linked with every other",
  },
  regions: {
    type: z.record(
      syntax.oneLine("the name of a region"),
      list(clusterName, "a list of clusters"),
      {
        error: "a map of regions with their clusters",
      },
    ),
    otherwise: "no regions",
    meaning:
      "the clusters of each region, every cluster in one: links within a region are flat (`gateway: false`) and mirror from pod to pod what is exported in either way; links between regions mirror through gateways only (docs/guides/flat-networks.md)",
  },
});

export const stack = section("this program's config", {
  clusters: {
    type: anything.exactOptional(),
    required: true,
    of: cluster,
    meaning:
      "the clusters of the mesh: a map from a name of your choice, the suffix of mirrors (`<service>-<cluster>`), to the cluster's own keys",
  },
  links: {
    type: anything,
    default: [],
    of: links.link,
    meaning: "which cluster mirrors from which: a list of links",
  },
  manage: choice(
    ["all", "links", "mirrors", "trust"],
    "how much of the mesh this stack manages: `mirrors` only; `links` adds access, credentials and Link resources where Linkerd runs; `all` installs everything; `trust` generates the trust anchor and issuers for other stacks only",
  ),
  topology: {
    type: z.union([oneOf("none", "mesh"), topology.schema], {
      error: topologyRule,
    }),
    default: "none",
    of: topology,
    meaning:
      "links that need not be listed, in both directions: `mesh` between all clusters, `{ hub: <cluster> }` between that cluster and all others, `{ regions: ... }` between all clusters, flat within a region; a listed link replaces that of the topology",
  },
  linkDefaults: withDefault(
    anything,
    {},
    "settings for every link that does not set them itself: any key of a link but `source` and `target`",
  ),
  linkerdCheck: off(
    "after a run that changed something, also run `linkerd check` and `linkerd multicluster check`, where the CLI is on PATH",
  ),
  linkerdNamespace: withDefault(
    syntax.namespaceName,
    "linkerd",
    "the namespace of Linkerd's control plane",
  ),
  multiclusterNamespace: withDefault(
    syntax.namespaceName,
    linkerdGateway.namespace,
    "the namespace of Linkerd's multicluster extension and its gateway",
  ),
  trustDomain: withDefault(
    syntax.domain,
    engine.targetDomain,
    "with `manage: all`, the trust domain of all clusters, whatever their `clusterDomain`: the end of every identity",
  ),
  trust: {
    type: trust.schema,
    default: {},
    of: trust,
    confidential: true,
    meaning:
      "where the trust anchor and issuers come from: generated and kept in the stack's state, unless `trust` says otherwise",
  },
  charts: {
    type: charts.schema,
    default: {},
    of: charts,
    meaning: "where Linkerd's charts come from, and their version",
  },
  mesh: {
    type: syntax.oneLine("the path of a YAML file"),
    otherwise: "none",
    meaning:
      "path, from the folder of `Pulumi.yaml`, of a YAML file with keys that stacks share, without `linkerd-multicluster:`; a key of the stack replaces that of the file as a whole (docs/guides/fleet.md)",
  },
  sources: {
    type: list(z.string({ error: "the name of a configured cluster" }), "a list of clusters"),
    otherwise: "all clusters",
    meaning:
      "the clusters that are this stack's, where other stacks have the others (docs/guides/fleet.md); no two stacks may name the same",
  },
});

/** Every map of the config whose keys are known. */
export const sections = {
  stack,
  cluster,
  chartValues,
  topology,
  trust,
  issuer,
  charts,
  chart,
  digests,
  link: links.link,
  linkDefaults: links.linkDefaultKeys,
  gateway: links.gateway,
  clusterGateway: links.clusterGateway,
  selector: links.selector,
  expression: links.expression,
} satisfies Record<string, Section>;
