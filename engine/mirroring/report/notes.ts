import { valueIn } from "../../result.ts";
import type { Decided, SourceObservation } from "../decide/decide.ts";
import type { Note } from "../model/decision.ts";
import { deletionTime } from "../decide/policies/absent-pods.ts";
import { federatedPart } from "../model/owner.ts";
import { routesPart } from "../model/route.ts";
import type { ByPart } from "../model/state.ts";
import type { PlannedOutcome } from "./outcome.ts";
import type { PartReport } from "./parts.ts";

export function about(source: string, part: string): string {
  if (part === routesPart) return `${source}: HTTPRoutes `;
  return part === federatedPart ? `${source}: ` : `${source} → ${part}: `;
}

/** A run shows these lines even without `--diff`. */
export function summaries(source: string, parts: readonly PartReport[]): string[] {
  return parts.flatMap(({ part, summary }) => {
    if (summary === undefined) return [];
    const what = part === federatedPart ? "federated Services " : "";
    return [`${about(source, part)}${what}${summary}`];
  });
}

/** @param unavailable by cluster, why nothing can be done about its links */
export function notesOf(
  { args: { source, links }, decided, removed, report }: PlannedOutcome,
  unavailable: ByPart<string>,
  parts: readonly PartReport[],
): string[] {
  const away = [...links, ...removed.map(({ link }) => link)].flatMap(({ target }) => {
    const why = unavailable[target];
    return why === undefined
      ? []
      : [`${about(source, target)}its mirrors stay as they are, because ${why}`];
  });
  const missing = Object.entries(decided.missing).map(
    ([key, since]) =>
      `${source}: mirror ${key} points to a pod that has been gone since ${since}; the first run after ${deletionTime(since).toISOString()} deletes it`,
  );
  return [
    ...away,
    ...report.notes.map(([part, sentence]) => about(source, part) + sentence),
    ...missing,
    ...parts.flatMap(({ part, skips = [] }) => skips.map((line) => about(source, part) + line)),
  ];
}

/** These notes are also shown for a removal. */
export function observationNotes(
  { links }: Pick<SourceObservation, "links">,
  { portConflicts, notes }: Decided,
): Note[] {
  return [
    ...links.flatMap(({ link, target }) =>
      (valueIn(valueIn(target)?.gateway)?.warnings ?? []).map((warning): Note => [
        link.target,
        warning,
      ]),
    ),
    ...Object.entries(portConflicts).map(([origin, sentence]): Note => [
      federatedPart,
      `${origin}: ${sentence}`,
    ]),
    ...notes,
  ];
}
