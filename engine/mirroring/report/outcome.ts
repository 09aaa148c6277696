import type { ClusterReadings, LinkObservation } from "../model/observation.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { LinkStatuses } from "./status.ts";
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

/** A sentence and the part that it is about. */
export type Note = readonly [part: string, sentence: string];

/** All that there is to say of the decisions about a source, beside what previews show of each. */
export interface Report {
  readonly notes: readonly Note[];
  readonly statuses: LinkStatuses;
}

/** By cluster: why nothing can be done about what it has a part in. */
export interface Unavailable {
  /** These may pass by themselves. */
  readonly unreachable: Readonly<Record<string, string>>;
  /** These somebody has to mend. */
  readonly refused: Readonly<Record<string, string>>;
}

export function unavailableIn(readings: ClusterReadings): Unavailable {
  const those = (wanted: string) =>
    Object.fromEntries(
      [...readings].flatMap(([name, reading]) =>
        reading.outcome === wanted && "why" in reading ? [[name, reading.why] as const] : [],
      ),
    );
  return { unreachable: those("unreachable"), refused: those("refused") };
}
