import { goesAt } from "../decide/policies/absent-pods.ts";
import { federatedPart } from "../model/owner.ts";
import { isSkip, ofPart } from "../decide/decision.ts";
import type { ClusterReadings } from "../model/observation.ts";
import { notMirrored, skipNotes } from "./change-texts.ts";
import type { PlannedOutcome } from "./outcome.ts";
import type { RemovedPart } from "../decide/policies/removed-links.ts";
import type { Decided } from "../decide/decide.ts";
import type { Before, ByPart, MirrorsArgs } from "../model/state.ts";

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

export function undecidedLinks(
  source: string,
  removed: readonly RemovedPart[],
): Record<string, string> {
  const whys = removed.flatMap((part) =>
    part.disposition === "unknown"
      ? [
          `the mirrors of the removed link ${source}/${part.link.target} stay, because it is not known whether a controller of Linkerd's mirrors it now: ${part.why}`,
        ]
      : [],
  );
  return whys.length === 0 ? {} : { [source]: whys.join("; ") };
}

export function skippedByPart(
  before: Before,
  { links }: MirrorsArgs,
  { decisions, judged }: Decided,
  { unreachable, refused }: Unavailable,
): ByPart<Readonly<Record<string, string>>> {
  // Of a target that is away there may be a plan, which knows nothing of what is not mirrored.
  const kept = links.flatMap(({ target }) => {
    const old = before.notMirrored?.[target];
    const isAway = unreachable[target] !== undefined || refused[target] !== undefined;
    return isAway && old !== undefined ? [[target, old] as const] : [];
  });
  const found = [...judged].map(
    (part) => [part, notMirrored(ofPart(decisions, part).filter(isSkip))] as const,
  );
  return Object.fromEntries(
    [...found, ...kept].filter(([, lines]) => Object.keys(lines).length > 0),
  );
}

/** What a sentence about a part begins with. */
export function about(source: string, part: string): string {
  return part === federatedPart ? `${source}: ` : `${source} <- ${part}: `;
}

/** A sentence for each removed link whose mirrors stay, with a controller of Linkerd's or for now. */
export function dispositionNotes(source: string, removed: readonly RemovedPart[]): string[] {
  return removed.flatMap((part) => {
    const link = about(source, part.link.target);
    if (part.disposition === "handOver")
      return [`${link}its mirrors stay, because ${part.controller} mirrors it now`];
    return part.disposition === "unknown"
      ? [`${link}its mirrors stay for now, because ${part.why}`]
      : [];
  });
}

export function notesOf(
  args: MirrorsArgs,
  { decided, removed, report }: PlannedOutcome,
  { unreachable, refused }: Unavailable,
): string[] {
  const aboutPart = (part: string) => about(args.source, part);
  const away = [...args.links, ...removed.map(({ link }) => link)].flatMap(({ target }) => {
    const why = unreachable[target] ?? refused[target];
    return why === undefined
      ? []
      : [`${aboutPart(target)}its mirrors stay as they are, because ${why}`];
  });
  const missing = Object.entries(decided.missing).map(
    ([key, since]) =>
      `${args.source}: the pod of ${key} is away since ${since} and has no StatefulSet: its mirror goes with the first run after ${goesAt(since).toISOString()}`,
  );
  return [
    ...away,
    ...dispositionNotes(args.source, removed),
    ...report.notes.map(([part, sentence]) => aboutPart(part) + sentence),
    ...missing,
    ...[...decided.judged].flatMap((part) =>
      skipNotes(ofPart(decided.decisions, part).filter(isSkip)).map(
        (sentence) => aboutPart(part) + sentence,
      ),
    ),
  ];
}
