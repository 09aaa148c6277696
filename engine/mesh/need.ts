import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";
import type { ClusterReadings } from "../mirroring/model/observation.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import type { Clusters } from "./clusters.ts";
import type { Extent } from "./snapshot.ts";

/** As much of the clusters as it takes to read a mesh. */
export type Observed = Pick<
  Clusters,
  | "client"
  | "connect"
  | "controllers"
  | "mayDo"
  | "nodes"
  | "resolve"
  | "routes"
  | "snapshot"
  | "statefulSets"
  | "time"
>;

/** Which clusters, and which kinds of objects in them. */
export interface Need {
  /** Every end of a link is among them. */
  readonly clusters: Readonly<Record<string, ClusterNeed>>;
  readonly links: readonly LinkNeed[];
  /** Puts failures in the place of snapshots by which nothing may be concluded; then nothing else is read there. */
  readonly judge?: (snapshots: ClusterReadings) => ClusterReadings;
}

export interface ClusterNeed {
  readonly extent?: Extent;
  /** Linkerd's controllers, in every case or where the snapshot calls for them. */
  readonly controllers?: boolean | ((snapshot: ClusterSnapshot) => boolean);
  /** Pods in namespaces with mirrors. */
  readonly clients?: boolean;
  /** The namespace of Linkerd's trust and config. */
  readonly linkerd?: string | undefined;
}

export interface LinkNeed {
  readonly link: LinkSpec;
  /** This run will create the gateway. */
  readonly gatewayPending?: boolean;
  /** StatefulSets of the target, where a pod with a mirror is away. */
  readonly statefulSets?: boolean;
  readonly probe?: boolean;
  /** Nodes of both ends, where traffic goes straight to pods. */
  readonly podRanges?: boolean;
  readonly credentials?: CredentialsNeed;
}

/** The access to the clusters, and reasons by name for not asking one. */
export interface MeshAccess {
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly distrusted?: Readonly<Record<string, string>>;
}

export interface CredentialsNeed {
  readonly mirroring: "pulumi" | "controller";
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
}
