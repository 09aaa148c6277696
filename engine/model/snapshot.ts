import type { LinkResource } from "../kubernetes/objects/link-resource.ts";
import type {
  Endpoints,
  Namespace,
  Node,
  ObjectKey,
  Service,
} from "../kubernetes/objects/objects.ts";

/** A snapshot is complete or doesn't exist: a list that breaks off is an error, never a shorter snapshot. */
export interface ClusterSnapshot {
  readonly cluster: string;
  /** The UID of the namespace `kube-system` shows whether a context still leads to the same cluster. */
  readonly identity: string;
  readonly namespaces: ReadonlyMap<string, Namespace>;
  readonly services: ReadonlyMap<ObjectKey, Service>;
  readonly endpoints: ReadonlyMap<ObjectKey, Endpoints>;
  /** ClusterIPs come from these ranges in CIDR notation; absent if the cluster doesn't say. */
  readonly serviceRanges?: readonly string[];
  /** Absent if they may not be read, or if no target announces its gateway to this source. */
  readonly nodes?: readonly Node[];
  /**
   * With `serviceLinksDisabled`, the pods in crowded namespaces that have variables for each Service anyway;
   * unknown if they may not be read.
   */
  readonly serviceLinks?: ReadonlyMap<string, readonly ObjectKey[] | "unknown">;
  /** Absent if the cluster doesn't serve them or they may not be read. */
  readonly links?: ReadonlyMap<ObjectKey, LinkResource>;
}
