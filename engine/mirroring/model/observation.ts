import type { Gateway, GatewayReading } from "./gateway.ts";
import type { StatefulSet } from "../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "./link.ts";
import type { ClusterSnapshot } from "./snapshot.ts";

/**
 * What came of reading a cluster: `mistaken` is the kubeconfig's fault, `refused` is what somebody has to
 * mend there, such as a credential without the right to read or lists that cannot be read, and
 * `unreachable` all that may pass by itself.
 */
export type ClusterReading =
  | { readonly outcome: "read"; readonly snapshot: ClusterSnapshot }
  | { readonly outcome: "invalid" | "refused" | "unreachable"; readonly why: string };

/** By name: the source and every target. */
export type ClusterReadings = ReadonlyMap<string, ClusterReading>;

/** One link as far as it could be looked at. */
export interface LinkObservation {
  readonly link: LinkSpec;
  readonly target: TargetObservation | undefined;
}

/** Those of which nothing is known now. */
export function unreadTargets(links: readonly LinkObservation[]): ReadonlySet<string> {
  return new Set(links.flatMap(({ link, target }) => (target === undefined ? [link.target] : [])));
}

/** Where the mirrors of a link lead, as far as this run knows it. */
export function gatewayOf({ target }: LinkObservation): Gateway | undefined {
  return target?.gateway.known === true && !target.awaited ? target.gateway.gateway : undefined;
}

export interface TargetObservation {
  readonly snapshot: ClusterSnapshot;
  readonly gateway: GatewayReading;
  /** The gateway is yet to be made, and `gateway` is no more than a stand-in. */
  readonly awaited: boolean;
  /** Where they could not be read, none. */
  readonly statefulSets: readonly StatefulSet[];
}

/** The cluster's snapshot, if it could be read. */
export function snapshotIn(readings: ClusterReadings, name: string): ClusterSnapshot | undefined {
  const reading = readings.get(name);
  return reading?.outcome === "read" ? reading.snapshot : undefined;
}

/** All that decides what a link mirrors. */
export interface LinkView extends Omit<TargetObservation, "awaited"> {
  readonly link: LinkSpec;
  readonly source: ClusterSnapshot;
  /** When the clusters are judged. */
  readonly now: Date;
}
