import type * as pulumi from "@pulumi/pulumi";

/** The arguments of a mesh. */
export interface MeshArgs {
  /** The clusters of the mesh: a map from a name of your choice, the suffix of mirrors (`<service>-<cluster>`), to the cluster's own keys. */
  readonly clusters: Readonly<Record<string, ClusterArgs>>;
  /** Which cluster mirrors from which: a list of links (default: `[]`). */
  readonly links?: readonly LinkArgs[];
  /** How much of the mesh is managed: `mirrors` only; `links` adds access, credentials and Link resources where Linkerd runs; `all` installs everything (default: `all`). */
  readonly manage?: "all" | "links" | "mirrors";
  /** Links that need not be listed, in both directions: `mesh` between all clusters, `{ hub: <cluster> }` between that cluster and all others; a listed link replaces that of the topology (default: `"none"`). */
  readonly topology?: "none" | "mesh" | TopologyArgs;
  /** Settings for every link that does not set them itself: any key of a link but `source` and `target` (default: `{}`). */
  readonly linkDefaults?: LinkDefaultsArgs;
  /** After a run that changed something, also run `linkerd check` and `linkerd multicluster check`, where the CLI is on PATH (default: `false`). */
  readonly linkerdCheck?: boolean;
  /** The namespace of Linkerd's control plane (default: `"linkerd"`). */
  readonly linkerdNamespace?: string;
  /** The namespace of Linkerd's multicluster extension and its gateway (default: `"linkerd-multicluster"`). */
  readonly multiclusterNamespace?: string;
  /** With `manage: all`, the trust domain of all clusters, whatever their `clusterDomain`: the end of every identity (default: `"cluster.local"`). */
  readonly trustDomain?: string;
  /** Where the trust anchor and issuers come from: generated and kept in the stack's state, unless `trust` says otherwise (default: `{}`). */
  readonly trust?: TrustArgs;
  /** Where Linkerd's charts come from, and their version (default: `{}`). */
  readonly charts?: ChartsArgs;
  /** The clusters that are this stack's, where other stacks have the others (docs/guides/fleet.md); no two stacks may name the same (default: all clusters). */
  readonly sources?: readonly string[];
}

/** The arguments of a cluster. */
export interface ClusterArgs {
  /** The context in the kubeconfig (default: the current one of `kubeconfig`, else the cluster's name). */
  readonly context?: string;
  /** The content of a kubeconfig, which may come of a resource and is encrypted in state (default: `KUBECONFIG`, then the default file). */
  readonly kubeconfig?: pulumi.Input<string>;
  /** The cluster's own DNS domain (default: `"cluster.local"`). */
  readonly clusterDomain?: string;
  /** With `manage: all`, a trust domain of the cluster's own (docs/guides/trust.md) (default: the mesh's `trustDomain`). */
  readonly trustDomain?: string;
  /** Https URL at which the other clusters reach this cluster's API server (default: the kubeconfig's server). */
  readonly apiServer?: string;
  /** The `gateway` of every link that targets this cluster and has none of its own; `enabled` beside its keys says whether the cluster gets one (default: the gateway Service). */
  readonly gateway?: false | ClusterGatewayArgs;
  /** Helm values by chart: `linkerd-crds`, `linkerd-control-plane`, `linkerd-multicluster` (default: `{}`). */
  readonly values?: ChartValuesArgs;
  /** UID that the cluster's namespace `kube-system` must have; to accept a cluster that was recreated, set its new UID (default: that of the first run). */
  readonly uid?: string;
  /** `true`: no run contacts the cluster, and its accounts and mirrors in the other clusters are deleted (docs/guides/revoke.md) (default: `false`). */
  readonly revoked?: boolean;
  /** The Gateway API's CRDs: `install` them with the chart `linkerd-crds`, or `assume` that they are installed already (default: `"install"`). */
  readonly gatewayApi?: "install" | "assume";
}

/** The arguments of a cluster's values. */
export interface ChartValuesArgs {
  /** Helm values of the CRDs' chart (default: `{}`). */
  readonly "linkerd-crds"?: Readonly<Record<string, unknown>>;
  /** Helm values of the control plane's chart (default: `{}`). */
  readonly "linkerd-control-plane"?: Readonly<Record<string, unknown>>;
  /** Helm values of the multicluster extension's chart (default: `{}`). */
  readonly "linkerd-multicluster"?: Readonly<Record<string, unknown>>;
}

/** The arguments of a topology. */
export interface TopologyArgs {
  /** The cluster that is linked with every other. */
  readonly hub: string;
}

/** The arguments of trust. */
export interface TrustArgs {
  /** `true`: cert-manager and trust-manager, or others, provide issuers and trust bundles on the clusters (docs/guides/trust.md) (default: `false`). */
  readonly external?: boolean;
  /** A stack with `manage: trust`, as `<organization>/<project>/<stack>`, from which this one takes anchors and issuers (docs/guides/fleet.md) (default: this stack). */
  readonly stack?: string;
  /** Increment to rotate the trust anchor, step by step over the next runs (default: `1`). */
  readonly generation?: number;
  /** How many days a new trust anchor is valid (default: `3650`). */
  readonly anchorValidityDays?: number;
  /** How many days a new issuer is valid (default: `365`). */
  readonly issuerValidityDays?: number;
  /** An issuer is renewed this many days before it expires; less than `issuerValidityDays` (default: `60`). */
  readonly renewBeforeDays?: number;
  /** Trust anchors in a cluster's bundle that are not this stack's: `keep` leaves and reports them, `remove` removes them once that breaks nothing (default: `"keep"`). */
  readonly unknownAnchors?: "keep" | "remove";
  /** PEM of trust anchors that every cluster trusts beside the generated one, such as those of another mesh (default: none). */
  readonly extraAnchors?: string;
  /** Pods that a rotation does not wait for: `<cluster>/<namespace>/<pod>`, `<cluster>/<namespace>` or `<cluster>`; meshed ones lose connections (default: `[]`). */
  readonly ignorePods?: readonly string[];
  /** PEM of your own trust anchors, whose private keys stay with you; needs `issuers` (default: generated). */
  readonly anchors?: string;
  /** Your own issuers: a map from every cluster to its `certificate` and `key`. */
  readonly issuers?: Readonly<Record<string, IssuerArgs>>;
}

/** The arguments of an issuer. */
export interface IssuerArgs {
  /** PEM of the issuer's certificate. */
  readonly certificate: string;
  /** PEM of its private key, which is encrypted in state. */
  readonly key: string;
}

/** The arguments of charts. */
export interface ChartsArgs {
  /** Version of the three charts (default: `"2026.8.3"`). */
  readonly version?: string;
  /** A Helm repository, an `oci://` address, or a local folder that holds each chart as a folder or an archive (default: `"https://helm.linkerd.io/edge"`). */
  readonly source?: string;
  /** How many seconds to wait for each chart to become ready (default: `600`). */
  readonly timeoutSeconds?: number;
  /** By chart, the only digest that is installed, as `sha256:<64 hexadecimal digits>`: of its archive in a local folder, or of its manifest at an `oci://` address (default: not compared). */
  readonly digests?: DigestsArgs;
}

/** The arguments of the charts' digests. */
export interface DigestsArgs {
  /** Digest of the chart `linkerd-crds`. */
  readonly "linkerd-crds": string;
  /** Digest of the chart `linkerd-control-plane`. */
  readonly "linkerd-control-plane": string;
  /** Digest of the chart `linkerd-multicluster`. */
  readonly "linkerd-multicluster": string;
}

/** The arguments of a link. */
export interface LinkArgs extends LinkDefaultsArgs {
  /** The cluster in which mirrors appear. */
  readonly source: string;
  /** The cluster whose Services are exported. */
  readonly target: string;
  /** `true`: the source's account in the target is deleted first, then its credentials, Link and mirrors (docs/guides/revoke.md) (default: `false`). */
  readonly revoked?: boolean;
}

/** The arguments of linkDefaults. */
export interface LinkDefaultsArgs {
  /** Overrides what the target's gateway Service says; `false`: a flat network without a gateway (default: the target's gateway Service). */
  readonly gateway?: false | GatewayArgs;
  /** Per-pod mirrors for StatefulSets; needs a gateway (default: `false`). */
  readonly headless?: boolean;
  /** Services mirrored through the gateway (default: `{"matchLabels":{"mirror.linkerd.io/exported":"true"}}`). */
  readonly selector?: SelectorArgs;
  /** Services mirrored for pod-to-pod traffic (default: `{"matchLabels":{"mirror.linkerd.io/exported":"remote-discovery"}}`). */
  readonly remoteDiscoverySelector?: SelectorArgs;
  /** Services that join `<service>-federated` (default: `{"matchLabels":{"mirror.linkerd.io/federated":"member"}}`). */
  readonly federatedServiceSelector?: SelectorArgs;
  /** Namespaces whose Services are mirrored: names, or how names begin and then `*`; not with `mirroring: controller` (default: `["*"]`). */
  readonly namespaces?: readonly string[];
  /** Likewise, namespaces that are left out; Linkerd's own are `linkerdNamespace`, `multiclusterNamespace`, `linkerd-jaeger` and `linkerd-viz` (default: `kube-*` and Linkerd's own). */
  readonly excludedNamespaces?: readonly string[];
  /** Further label keys that are not copied to mirrors; `group/*` for a whole group (default: `[]`). */
  readonly excludedLabels?: readonly string[];
  /** Further annotation keys that are not copied to mirrors; `group/*` for a whole group (default: `[]`). */
  readonly excludedAnnotations?: readonly string[];
  /** Keys and groups of other controllers that are copied, although they are not by default (docs/reference/metadata.md) (default: `[]`). */
  readonly copiedMetadata?: readonly string[];
  /** Create a namespace that is missing in the source; otherwise its Services are skipped. With `mirroring: controller`, one link with `true` turns it on for all controllers of the source (default: `false`). */
  readonly createNamespaces?: boolean;
  /** `follow`: as in Linkerd, a mirror whose target has no ready pods has no endpoints; `ignore`: readiness does not matter, since the next run may be hours away (default: `"ignore"`). */
  readonly readiness?: "ignore" | "follow";
  /** Probe the target's gateway from the runner, which must reach it: while it is down, addresses of its mirrors are not ready, as with Linkerd (default: `false`). */
  readonly gatewayProbe?: boolean;
  /** How many mirrors one run may delete: a count, or a share of the link's mirrors, which applies once there are more than 10 (default: `"50%"`). */
  readonly maxDeletions?: number | `${number}%`;
  /** Let this run delete more than `maxDeletions` (default: `false`). */
  readonly allowDeletions?: boolean;
  /** How many mirrors, and how many members of federated Services, the link may have; more are not created and reported (default: `5000`). */
  readonly maxMirrors?: number;
  /** `controller`: leave mirroring to Linkerd's own controller, which `all` installs, and which has to be there with `links` (default: `"pulumi"`). */
  readonly mirroring?: "pulumi" | "controller";
  /** Change it to rotate the link's token (default: `1`). */
  readonly credentialsGeneration?: number;
  /** Days after which the next run rotates the link's token; a token that no run rotates stays valid (default: `90`). */
  readonly credentialsMaxAge?: number;
  /** When a cluster can't be reached: `keep` leaves its mirrors as they are, `fail` fails the run (default: `"keep"`). */
  readonly unreachable?: "keep" | "fail";
}

/** The arguments of a gateway. */
export interface GatewayArgs {
  /** Name of the gateway Service in the target (default: `"linkerd-gateway"`). */
  readonly name?: string;
  /** Namespace of the gateway Service (default: `multiclusterNamespace`). */
  readonly namespace?: string;
  /** IP addresses or DNS hostnames at which the source reaches the gateway (default: the Service's load balancer). */
  readonly addresses?: readonly string[];
  /** Ranges such as `198.51.100.0/24` in which the addresses of the Service's load balancer must be; others are left out and reported (default: any but special ones). */
  readonly allowedAddresses?: readonly string[];
  /** The gateway's port (default: the Service's port `mc-gateway`). */
  readonly port?: number;
  /** The gateway's TLS identity (default: the Service's annotation). */
  readonly identity?: string;
}

/** The arguments of a cluster's gateway. */
export interface ClusterGatewayArgs extends GatewayArgs {
  /** With `manage: all`, whether the cluster gets Linkerd's gateway; `true` also where only links of other stacks go through it (default: whether a link of this stack goes through it). */
  readonly enabled?: boolean;
}

/** The arguments of a selector. */
export interface SelectorArgs {
  /** Labels that a Service must have (default: `{}`). */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** A list of `{ key, operator, values }`, all of which must hold (default: `[]`). */
  readonly matchExpressions?: readonly ExpressionArgs[];
}

/** The arguments of a match expression. */
export interface ExpressionArgs {
  /** A label key. */
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  /** Label values, for `In` and `NotIn` only (default: `[]`). */
  readonly values?: readonly string[];
}
