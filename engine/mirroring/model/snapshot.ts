import type { LinkResource } from "../../kubernetes/objects/link-resource.ts";
import type {
  Endpoints,
  Namespace,
  Node,
  ObjectKey,
  Service,
} from "../../kubernetes/objects/objects.ts";

/**
 * Everything mirroring knows of one cluster at one moment. A snapshot is complete or does not
 * exist: a list that broke off half-way is an error, never a shorter snapshot.
 */
export interface ClusterSnapshot {
  /** The cluster's name in the stack config. */
  readonly cluster: string;
  /** UID of the `kube-system` namespace: says whether a context still points at the same cluster. */
  readonly identity: string;
  readonly namespaces: ReadonlyMap<string, Namespace>;
  readonly services: ReadonlyMap<ObjectKey, Service>;
  readonly endpoints: ReadonlyMap<ObjectKey, Endpoints>;
  /** Where its ClusterIPs are from, in CIDR notation; absent where it does not say. */
  readonly serviceRanges?: readonly string[];
  /** Of a source whose targets say where their gateways are; absent where they may not be read. */
  readonly nodes?: readonly Node[];
  /** Link resources; absent where the cluster does not have them or does not let us read them. */
  readonly links?: ReadonlyMap<ObjectKey, LinkResource>;
}
