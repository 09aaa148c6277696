import type { Decided } from "../decide/decide.ts";
import type { SourceObservation } from "../decide/desired.ts";
import type { Note } from "../../model/decision.ts";
import type { ClusterReadings } from "../../model/observation.ts";
import type { LinkStatusList } from "../../model/service-status.ts";
import type { TrustRootsStatus } from "../../model/trust-roots.ts";

export type Outcome =
  /** The user has to fix these mistakes before the run may do anything. */
  | {
      readonly outcome: "invalid";
      readonly mistakes: readonly string[];
      readonly readings: ClusterReadings;
    }
  /** The source itself can't be read, so everything stays as it is. */
  | { readonly outcome: "sourceUnreadable"; readonly readings: ClusterReadings }
  | PlannedOutcome;

export interface PlannedOutcome extends SourceObservation {
  readonly outcome: "planned";
  readonly readings: ClusterReadings;
  readonly decided: Decided;
  readonly report: Report;
}

export interface Report {
  readonly notes: readonly Note[];
  readonly statuses: readonly LinkStatusPart[];
}

export type LinkStatusPart = LinkStatusList | TrustRootsStatus;

/** Returns why nothing could be decided about a part of a source's mirrors; undefined if something was. */
export function whyUndecided(outcome: Outcome, source: string, part: string): string | undefined {
  if (outcome.outcome === "invalid") return outcome.mistakes.join("; ");
  const { readings } = outcome;
  const whyUnread = (cluster: string) => {
    const reading = readings.get(cluster);
    return reading !== undefined && "why" in reading ? reading.why : undefined;
  };
  if (outcome.outcome === "sourceUnreadable")
    return whyUnread(source) ?? `cluster ${source} can't be read`;
  const { decisionsByPart, refusals } = outcome.decided;
  if (decisionsByPart.has(part)) return undefined;
  return refusals[part] ?? whyUnread(part) ?? `nothing is known of cluster ${part}`;
}
