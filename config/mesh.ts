import type { TokenRotation } from "../engine/credentials/state.ts";
import type { ClusterAccess } from "../engine/kubernetes/kubeconfig.ts";
import type { GatewaySource, LinkSpec } from "../engine/mirroring/model/link.ts";

/** What the stack config asks for, checked and with every default filled in. */
export interface MeshConfig {
  /** How much of the mesh is this stack's: everything, what links need, or nothing but mirrors. */
  readonly manage: "all" | "links" | "mirrors";
  /** Also run the linkerd CLI's own checks. */
  readonly linkerdCheck: boolean;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  /** By name, in the order of the config, which Pulumi hands over sorted by name. */
  readonly clusters: ReadonlyMap<string, ClusterConfig>;
  /** The listed ones in the order of the config, then those of the topology in cluster order. */
  readonly links: readonly LinkConfig[];
  readonly trust: TrustConfig;
  readonly charts: ChartsConfig;
}

export type TrustConfig = GeneratedTrust | OwnTrust;

/** Anchors and issuers that the stack makes and keeps in its state. */
export interface GeneratedTrust {
  readonly kind: "generated";
  /** 1 at first; one more asks for a rotation to a new anchor. */
  readonly generation: number;
  readonly anchorValidityDays: number;
  readonly issuerValidityDays: number;
  /** Less than `issuerValidityDays`. */
  readonly renewBeforeDays: number;
}

/** Anchors and issuers that were made elsewhere: the anchor's key is in no state. */
export interface OwnTrust {
  readonly kind: "own";
  /** PEM of at least one certificate. */
  readonly anchors: string;
  /** By cluster; every cluster of the stack has one, under one of the anchors. */
  readonly issuers: ReadonlyMap<string, OwnIssuer>;
}

export interface OwnIssuer {
  /** PEM, the issuer's own certificate first. */
  readonly certificate: string;
  /** PEM of the private key: whoever passes it on marks it as secret. */
  readonly key: string;
}

/** Where Linkerd's charts come from and how long they may take. */
export interface ChartsConfig {
  /** Of all three charts, as 2026.8.3. */
  readonly version: string;
  /** URL of a Helm repository, `oci://` address, or path of a local folder. */
  readonly source: string;
  /** For each chart, until all that it installs is ready. */
  readonly timeoutSeconds: number;
  /** Don't wait until it is ready. */
  readonly skipAwait: boolean;
}

export interface ClusterConfig {
  readonly name: string;
  readonly access: ClusterAccess;
  readonly clusterDomain: string;
  /** https URL of the API server for the other clusters; without it the kubeconfig's server. */
  readonly apiServer?: string;
  /** The gateway of links that target this cluster; `false`: it has none (a flat network). */
  readonly gateway: GatewaySource | false;
  readonly values: ChartValues;
  /** UID that the cluster's namespace kube-system must have; without it that of the first run. */
  readonly uid?: string;
  /** Who brings the Gateway API's CRDs: chart linkerd-crds, or somebody else. */
  readonly gatewayApi: "install" | "assume";
}

/** Helm values by chart; a chart that is not named takes its own defaults. */
export interface ChartValues {
  readonly "linkerd-crds"?: HelmValues;
  readonly "linkerd-control-plane"?: HelmValues;
  readonly "linkerd-multicluster"?: HelmValues;
}

export type HelmValues = Readonly<Record<string, unknown>>;

export interface LinkConfig {
  readonly spec: LinkSpec;
  /** Who makes the mirrors: this program, or Linkerd's controller, which it then provisions. */
  readonly mirroring: "pulumi" | "controller";
  /** Of the token by which the source's Linkerd reaches the target. */
  readonly rotation: TokenRotation;
}
