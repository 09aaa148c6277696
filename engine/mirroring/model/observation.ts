import type { Gateway, GatewayReading } from "./gateway.ts";
import type { StatefulSet } from "../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "./link.ts";
import { type Result, valueIn } from "../../result.ts";
import type { ClusterSnapshot } from "./snapshot.ts";

/** The source and every target, by name. */
export type ClusterReadings = ReadonlyMap<string, Result<ClusterSnapshot>>;

export interface LinkObservation {
  readonly link: LinkSpec;
  readonly target: Result<TargetObservation>;
}

/** Returns targets that couldn't be read. */
export function unreadTargets(links: readonly LinkObservation[]): ReadonlySet<string> {
  return new Set(links.flatMap(({ link, target }) => ("why" in target ? [link.target] : [])));
}

/** Returns the gateway of a link's mirrors if this run knows it. */
export function gatewayOf({ target }: LinkObservation): Gateway | undefined {
  const found = valueIn(target);
  return found?.gatewayPending === false ? valueIn(found.gateway)?.gateway : undefined;
}

export interface TargetObservation {
  readonly snapshot: ClusterSnapshot;
  readonly gateway: GatewayReading;
  /** The gateway doesn't exist yet, and `gateway` only stands in for it. */
  readonly gatewayPending: boolean;
  /** Empty if they couldn't be read. */
  readonly statefulSets: readonly StatefulSet[];
}

export interface LinkView extends Omit<TargetObservation, "gatewayPending"> {
  readonly link: LinkSpec;
  readonly source: ClusterSnapshot;
  /** The time for which the clusters are judged. */
  readonly now: Date;
}
