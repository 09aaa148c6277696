/**
 * Every key of the stack config, as data: the schema, the sentences about mistakes, Pulumi.yaml
 * and the README are held against this one table.
 */

export interface KeyDoc {
  /** What holds when the key is left out, as a reader would write it. */
  readonly default: string;
  readonly meaning: string;
}

export interface Section {
  /** What a map with these keys is, in a sentence. */
  readonly noun: string;
  readonly keys: Readonly<Record<string, KeyDoc>>;
}

const stack = {
  clusters: {
    default: "required",
    meaning: "the clusters of the mesh: a map from a name of your choice to a cluster's own keys",
  },
  links: { default: "[]", meaning: "who mirrors from whom: a list of links" },
  manage: {
    default: "all",
    meaning:
      "how much of the mesh is this stack's: mirrors touches nothing but mirrors, links adds access, credentials and Link resources, all installs everything",
  },
  topology: {
    default: "none",
    meaning:
      "links that need not be listed: mesh links every pair of clusters both ways, {hub: <cluster>} links that cluster and every other both ways",
  },
  linkDefaults: {
    default: "{}",
    meaning:
      "what every link does unless it says otherwise: any key of a link but source and target",
  },
  linkerdCheck: {
    default: "false",
    meaning:
      "true: after a run that changed something, also run linkerd check and linkerd multicluster check, where the linkerd CLI is on PATH",
  },
  linkerdNamespace: { default: "linkerd", meaning: "the namespace of Linkerd's control plane" },
  multiclusterNamespace: {
    default: "linkerd-multicluster",
    meaning: "the namespace of Linkerd's multicluster extension and its gateway",
  },
  trust: {
    default: "{}",
    meaning:
      "the trust anchor and the issuers that all clusters share: made here, or brought along",
  },
  charts: { default: "{}", meaning: "where Linkerd's charts come from, and their version" },
} as const satisfies Section["keys"];

const cluster = {
  context: { default: "the cluster's name", meaning: "the context in the kubeconfig" },
  kubeconfig: {
    default: "KUBECONFIG, then the default file",
    meaning: "path of a kubeconfig file, never its content",
  },
  clusterDomain: { default: "cluster.local", meaning: "the cluster's own DNS domain" },
  apiServer: {
    default: "the kubeconfig's server",
    meaning: "https URL at which the other clusters reach this cluster's API server",
  },
  gateway: {
    default: "the gateway Service",
    meaning: "the gateway key of every link that targets this cluster and has none of its own",
  },
  values: { default: "{}", meaning: "Helm values for this cluster, by the name of the chart" },
  uid: {
    default: "that of the first run",
    meaning: "UID of the cluster's namespace kube-system; the run stops where it is another",
  },
  gatewayApi: {
    default: "install",
    meaning: "assume: the Gateway API's CRDs are there already, and not this stack's",
  },
} as const satisfies Section["keys"];

const ends = {
  source: { default: "required", meaning: "name of the cluster in which mirrors appear" },
  target: { default: "required", meaning: "name of the cluster whose Services are exported" },
} as const satisfies Section["keys"];

const link = {
  gateway: {
    default: "the target's gateway Service",
    meaning:
      "a map that overrides what the gateway Service says; false: a flat network without gateway",
  },
  headless: {
    default: "false",
    meaning: "per-pod mirrors for StatefulSets; needs a gateway (enableHeadlessServices)",
  },
  selector: {
    default: "mirror.linkerd.io/exported=true",
    meaning: "Services mirrored through the gateway; an empty one selects nothing",
  },
  remoteDiscoverySelector: {
    default: "mirror.linkerd.io/exported=remote-discovery",
    meaning: "Services mirrored for pod-to-pod traffic; an empty one selects nothing",
  },
  federatedServiceSelector: {
    default: "mirror.linkerd.io/federated=member",
    meaning: "Services that join a federated Service; an empty one selects nothing",
  },
  excludedLabels: {
    default: "[]",
    meaning: "label keys not copied to mirrors; group/* for a group",
  },
  excludedAnnotations: {
    default: "[]",
    meaning: "annotation keys not copied to mirrors; group/* for a group",
  },
  createNamespaces: {
    default: "false",
    meaning: "create a namespace that is missing in the source, else skip its Services and say so",
  },
  readiness: {
    default: "ignore",
    meaning:
      "follow: as Linkerd, what is not ready in the target has no endpoints; ignore: readiness does not matter, because the next run may be hours away",
  },
  maxDeletions: {
    default: "50%",
    meaning:
      "how many mirrors one run may delete, as a count or as a share of the link's mirrors; a share counts once there are more than 10",
  },
  allowDeletions: { default: "false", meaning: "let this run delete more than maxDeletions" },
  mirroring: {
    default: "pulumi",
    meaning: "controller: leave mirroring to Linkerd's controller, and provision it",
  },
  credentialsGeneration: {
    default: "1",
    meaning: "any other number than last time asks for a new token for the link",
  },
  credentialsMaxAge: {
    default: "tokens do not age",
    meaning: "days after which the next run replaces the link's token",
  },
  unreachable: {
    default: "keep",
    meaning:
      "keep: a cluster that can't be reached leaves its mirrors as they are; fail: it fails the run",
  },
} as const satisfies Section["keys"];

const gateway = {
  name: { default: "linkerd-gateway", meaning: "name of the gateway Service in the target" },
  namespace: { default: "multiclusterNamespace", meaning: "namespace of the gateway Service" },
  addresses: {
    default: "the Service's load balancer",
    meaning: "list of IPs or DNS hostnames at which the source reaches the gateway",
  },
  port: { default: "the Service's port mc-gateway", meaning: "the gateway's port, 1 to 65535" },
  identity: { default: "the Service's annotation", meaning: "TLS identity of the gateway" },
} as const satisfies Section["keys"];

const selector = {
  matchLabels: { default: "{}", meaning: "labels that a Service must have, key to value" },
  matchExpressions: {
    default: "[]",
    meaning: "list of {key, operator, values}, all of which hold",
  },
} as const satisfies Section["keys"];

const expression = {
  key: { default: "required", meaning: "a label key" },
  operator: { default: "required", meaning: "In, NotIn, Exists or DoesNotExist" },
  values: { default: "[]", meaning: "label values; for In and NotIn, and only for them" },
} as const satisfies Section["keys"];

const topology = {
  hub: { default: "required", meaning: "name of the cluster that is linked with every other" },
} as const satisfies Section["keys"];

const charts = {
  "linkerd-crds": { default: "{}", meaning: "Helm values of the chart linkerd-crds" },
  "linkerd-control-plane": { default: "{}", meaning: "Helm values of linkerd-control-plane" },
  "linkerd-multicluster": { default: "{}", meaning: "Helm values of linkerd-multicluster" },
} as const satisfies Section["keys"];

const trust = {
  generation: {
    default: "1",
    meaning: "one more asks for a new trust anchor, which the next runs bring in step by step",
  },
  anchorValidityDays: { default: "3650", meaning: "how long a new trust anchor is valid" },
  issuerValidityDays: { default: "365", meaning: "how long a new issuer is valid" },
  renewBeforeDays: {
    default: "60",
    meaning: "how many days before its end an issuer is renewed; less than issuerValidityDays",
  },
  anchors: {
    default: "made here",
    meaning: "PEM of your own trust anchors; needs issuers, and their private keys stay with you",
  },
  issuers: {
    default: "made here",
    meaning: "your own issuers under these anchors: a map from every cluster to its issuer",
  },
} as const satisfies Section["keys"];

const issuer = {
  certificate: { default: "required", meaning: "PEM of the issuer's certificate" },
  key: { default: "required", meaning: "PEM of its private key, which belongs in a secret" },
} as const satisfies Section["keys"];

const chartSource = {
  version: { default: "pinned in the program", meaning: "version of the three charts" },
  source: {
    default: "https://helm.linkerd.io/edge",
    meaning:
      "a Helm repository, an oci:// address, or a local folder that holds each chart as a folder or an archive",
  },
  timeoutSeconds: { default: "600", meaning: "how long to wait for each chart to become ready" },
  skipAwait: { default: "false", meaning: "true: do not wait for that" },
} as const satisfies Section["keys"];

export const sections = {
  stack: { noun: "this program's config", keys: stack },
  cluster: { noun: "a cluster", keys: cluster },
  link: { noun: "a link", keys: { ...ends, ...link } },
  linkDefaults: { noun: "linkDefaults", keys: link },
  gateway: { noun: "a gateway", keys: gateway },
  selector: { noun: "a selector", keys: selector },
  expression: { noun: "a match expression", keys: expression },
  topology: { noun: "a topology", keys: topology },
  charts: { noun: "a cluster's values", keys: charts },
  trust: { noun: "trust", keys: trust },
  issuer: { noun: "an issuer", keys: issuer },
  chartSource: { noun: "charts", keys: chartSource },
} as const satisfies Record<string, Section>;

export type SectionName = keyof typeof sections;

/** The keys that a map of this kind may have, in the order of the table. */
export function keysOf(name: SectionName): readonly string[] {
  return Object.keys(sections[name].keys);
}

export function isSectionName(name: string): name is SectionName {
  return Object.hasOwn(sections, name);
}
