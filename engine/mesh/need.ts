import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";
import type { ClusterReadings } from "../mirroring/model/observation.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import type { Clusters } from "./clusters.ts";
import type { Extent } from "./snapshot.ts";

/** Reading a mesh takes these methods of the clusters. */
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

/** Names the clusters to read, and the kinds of objects in them. */
export interface Need {
  /** The clusters of which a snapshot is read. Every end of a link is among them. */
  readonly clusters?: Readonly<Record<string, ClusterNeed>>;
  readonly links?: readonly LinkNeed[];
  readonly installations?: InstallationsNeed;
  /** Puts failures in the place of snapshots by which nothing may be concluded; then nothing else is read there. */
  readonly judge?: (snapshots: ClusterReadings) => ClusterReadings;
}

export interface ClusterNeed {
  readonly extent?: Extent;
  /** Linkerd's controllers are read in every case, or if the snapshot calls for it. */
  readonly controllers?: boolean | ((snapshot: ClusterSnapshot) => boolean);
  /** A few pods are read in namespaces with mirrors. */
  readonly clients?: boolean;
  /** Linkerd's trust and config are read from this namespace. */
  readonly linkerd?: string | undefined;
}

/** Clusters of which no snapshot is read, because nothing is decided about their Services. */
export interface InstallationsNeed {
  readonly linkerdNamespace: string;
  readonly clusters: Readonly<Record<string, InstallationNeed>>;
}

/** The facts to read about a cluster, besides the UID of `kube-system`. */
export interface InstallationNeed {
  /** The cluster belongs to another stack, which may know it by a different name. */
  readonly isForeign?: boolean;
  /** The anchors and the issuer, and the proxies if any cluster is in a rotation. */
  readonly trust?: boolean;
  /** The objects that others provide with `trust.external`, if the trust could be read. */
  readonly external?: boolean;
  /** Linkerd's domains and version. */
  readonly config?: boolean;
  /** Linkerd's controllers. */
  readonly controllers?: boolean;
}

export interface LinkNeed {
  readonly link: LinkSpec;
  /** This run will create the gateway. */
  readonly gatewayPending?: boolean;
  /** StatefulSets of the target are read if a pod with a mirror is missing. */
  readonly statefulSets?: boolean;
  readonly probe?: boolean;
  /** Nodes of both clusters are read if traffic goes straight to pods. */
  readonly podRanges?: boolean;
  readonly credentials?: CredentialsNeed;
}

/** `distrusted` has the reasons, by name, for not contacting a cluster. */
export interface MeshAccess {
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly distrusted?: Readonly<Record<string, string>>;
}

export function accessOf(accesses: MeshAccess["clusters"], name: string): ClusterAccess {
  const access = accesses[name];
  if (access === undefined) throw new TypeError(`there is no access to cluster ${name}`);
  return access;
}

export interface CredentialsNeed {
  readonly mirroring: "pulumi" | "controller";
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
}
