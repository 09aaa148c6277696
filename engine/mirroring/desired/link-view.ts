import type { ObjectKey, StatefulSet } from "../../kubernetes/objects.ts";
import type { GatewayReading } from "../model/gateway.ts";
import type { LabelSelector, LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";

/** All that decides what a link mirrors. */
export interface LinkView {
  readonly link: LinkSpec;
  readonly source: ClusterSnapshot;
  readonly target: ClusterSnapshot;
  readonly gateway: GatewayReading;
  /** Those of the target; where they could not be read, as if there were none. */
  readonly statefulSets?: readonly StatefulSet[];
  /** Endpoint mirrors whose pods the run before has missed. */
  readonly missedBefore?: ReadonlySet<ObjectKey>;
  /** By which other links of the stack mirror from the target. */
  readonly selectedElsewhere?: readonly LabelSelector[];
}
