import type { GatewayReading, ProbeResult } from "./gateway.ts";
import type { ObjectKey } from "../kubernetes/objects/objects.ts";
import type { StatefulSet } from "../kubernetes/objects/workload-resource.ts";
import type { LinkSpec } from "./link.ts";
import type { Result } from "../base/result.ts";
import type { ClusterSnapshot } from "./snapshot.ts";
import type { TrustRoots } from "./trust-roots.ts";

export type ClusterReadings = ReadonlyMap<string, Result<ClusterSnapshot>>;

export interface LinkObservation {
  readonly link: LinkSpec;
  readonly target: Result<TargetObservation>;
  /** Absent if the status of the Link has no such field, or isn't this stack's. */
  readonly trustRoots?: Result<TrustRoots>;
  /** The gateway's answer to the link's prober, or to the runner; absent if neither asks, or the gateway isn't known. */
  readonly probe?: ProbeResult;
  /** The reason for which the link's prober finds the gateway down, also of a target that can't be read. */
  readonly gatewayDown?: string;
}

export interface TargetObservation {
  readonly snapshot: ClusterSnapshot;
  readonly gateway: GatewayReading;
  /** The gateway doesn't exist yet, and `gateway` only stands in for it. */
  readonly gatewayPending: boolean;
  /** The list is empty if they couldn't be read. */
  readonly statefulSets: readonly StatefulSet[];
}

/** Each Service of a target has the UIDs of its StatefulSets. */
export type KnownSets = Readonly<Record<ObjectKey, readonly string[]>>;

export interface LinkView extends Omit<TargetObservation, "gatewayPending"> {
  readonly link: LinkSpec;
  readonly source: ClusterSnapshot;
  readonly now: Date;
  /** The namespace of the multicluster extension in the source; undefined if this stack doesn't know it. */
  readonly extension?: string | undefined;
  /** UIDs of the StatefulSets that earlier runs have seen behind each exported Service of this very target. */
  readonly knownSets?: KnownSets | undefined;
}
