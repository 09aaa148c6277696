import type { ClusterReadings, LinkObservation } from "../model/observation.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Report } from "./report.ts";
import type { RemovedPart } from "../decide/policies/removed-links.ts";
import type { Decided } from "../decide/decide.ts";
import type { RemovedLink } from "../model/state.ts";

/** What came of looking at a source and its targets. */
export type Outcome =
  /** The user has to fix these first, and nothing may be done. */
  | { readonly outcome: "invalid"; readonly mistakes: readonly string[] }
  /** The source itself can't be read, so everything stays as it is. */
  | {
      readonly outcome: "sourceUnreadable";
      readonly readings: ClusterReadings;
      readonly removed: readonly RemovedLink[];
    }
  | {
      readonly outcome: "planned";
      readonly source: ClusterSnapshot;
      readonly readings: ClusterReadings;
      readonly links: readonly LinkObservation[];
      readonly removed: readonly RemovedPart[];
      readonly decided: Decided;
      readonly report: Report;
    };

export type PlannedOutcome = Extract<Outcome, { readonly outcome: "planned" }>;
