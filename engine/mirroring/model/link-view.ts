import type { ObjectKey, StatefulSet } from "../../kubernetes/objects/objects.ts";
import type { GatewayReading } from "./gateway.ts";
import type { LinkSpec } from "./link.ts";
import type { ClusterSnapshot } from "./snapshot.ts";

/** All that decides what a link mirrors. */
export interface LinkView {
  readonly link: LinkSpec;
  readonly source: ClusterSnapshot;
  readonly target: ClusterSnapshot;
  readonly gateway: GatewayReading;
  /** Those of the target; where they could not be read, as if there were none. */
  readonly statefulSets?: readonly StatefulSet[];
  /** Endpoint mirrors whose pods were away in the run before: since when, RFC 3339. */
  readonly missing?: Readonly<Record<ObjectKey, string>>;
  /** When the clusters are judged. */
  readonly now: Date;
}
