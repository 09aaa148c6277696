import type { LinkResource } from "../../kubernetes/objects/link-resource.ts";
import type {
  Endpoints,
  Namespace,
  Node,
  ObjectKey,
  Service,
} from "../../kubernetes/objects/objects.ts";

/**
 * Everything that mirroring knows about one cluster at one moment. A snapshot is complete or doesn't exist: a list
 * that breaks off is an error, never a shorter snapshot.
 */
export interface ClusterSnapshot {
  readonly cluster: string;
  /** The UID of the namespace `kube-system`, which shows whether a context still leads to the same cluster. */
  readonly identity: string;
  readonly namespaces: ReadonlyMap<string, Namespace>;
  readonly services: ReadonlyMap<ObjectKey, Service>;
  readonly endpoints: ReadonlyMap<ObjectKey, Endpoints>;
  /** The ranges of its ClusterIPs in CIDR notation; absent if the cluster doesn't say. */
  readonly serviceRanges?: readonly string[];
  /** The nodes of a source whose targets announce their gateways; absent if they may not be read. */
  readonly nodes?: readonly Node[];
  /** Link resources; absent if the cluster doesn't serve them or they may not be read. */
  readonly links?: ReadonlyMap<ObjectKey, LinkResource>;
}
