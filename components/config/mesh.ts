import type { ClusterAccess, GatewaySource, LinkSpec } from "../../mirror/model/link.ts";

/** What the stack config asks for, checked and with every default filled in. */
export interface MeshConfig {
  /** How much of the mesh is this stack's: everything, what links need, or nothing but mirrors. */
  readonly manage: "all" | "links" | "mirrors";
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  /** By name, in the order of the config, which Pulumi hands over sorted by name. */
  readonly clusters: ReadonlyMap<string, ClusterConfig>;
  /** The listed ones in the order of the config, then those of the topology in cluster order. */
  readonly links: readonly LinkConfig[];
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
}
