import type { Decided, SourceObservation } from "../decide/decide.ts";
import type { Note } from "../decide/decision.ts";
import type { ClusterReadings } from "../model/observation.ts";
import type { LinkStatuses } from "./status.ts";

/** What came of looking at a source and its targets. */
export type Outcome =
  /** The user has to fix these first, and nothing may be done. */
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

/** All that there is to say of the decisions about a source, beside what previews show of each. */
export interface Report {
  readonly notes: readonly Note[];
  readonly statuses: LinkStatuses;
}
