import { federatedPart } from "../model/owner.ts";
import type { SourcePlan } from "../plan/change.ts";
import type { ClusterReadings } from "./observation.ts";
import { notMirrored, skipNotes } from "./preview.ts";
import type { PlannedOutcome } from "./reconcile.ts";
import type { RemovedPart } from "./removed-links.ts";
import type { Before, ByPart, MirrorsArgs, Outage } from "./state.ts";

export interface Trouble {
  readonly unreachable: Readonly<Record<string, Outage>>;
  readonly refused: Readonly<Record<string, string>>;
}

/** A cluster that is still out of reach keeps the time and the sentence of the first run that saw it. */
export function troubleIn(
  readings: ClusterReadings,
  { unreachable = {} }: Before,
  now: () => Date,
): Trouble {
  const entries = [...readings];
  return {
    unreachable: Object.fromEntries(
      entries.flatMap(([name, reading]) =>
        reading.outcome === "unreachable"
          ? [[name, unreachable[name] ?? { since: now().toISOString(), why: reading.why }] as const]
          : [],
      ),
    ),
    refused: Object.fromEntries(
      entries.flatMap(([name, reading]) =>
        reading.outcome === "refused" ? [[name, reading.why] as const] : [],
      ),
    ),
  };
}

export function unknownFates(
  source: string,
  removed: readonly RemovedPart[],
): Record<string, string> {
  const whys = removed.flatMap((part) =>
    part.fate === "unknown"
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
  parts: SourcePlan,
  { unreachable, refused }: Trouble,
): ByPart<Readonly<Record<string, string>>> {
  // Of a target that is away there may be a plan, which knows nothing of what is not mirrored.
  const kept = links.flatMap(({ target }) => {
    const old = before.notMirrored?.[target];
    const isAway = unreachable[target] !== undefined || refused[target] !== undefined;
    return isAway && old !== undefined ? [[target, old] as const] : [];
  });
  const found = [...parts].map(([part, { skips }]) => [part, notMirrored(skips)] as const);
  return Object.fromEntries(
    [...found, ...kept].filter(([, lines]) => Object.keys(lines).length > 0),
  );
}

/** What a sentence about a part begins with. */
export function about(source: string, part: string): string {
  return part === federatedPart ? `${source}: ` : `${source} <- ${part}: `;
}

export function notesOf(
  args: MirrorsArgs,
  { reconciliation, removed }: PlannedOutcome,
  { unreachable, refused }: Trouble,
): string[] {
  const aboutPart = (part: string) => about(args.source, part);
  const away = args.links.flatMap(({ target }) => {
    const outage = unreachable[target];
    const why = outage === undefined ? refused[target] : `since ${outage.since} ${outage.why}`;
    return why === undefined
      ? []
      : [`${aboutPart(target)}its mirrors stay as they are, because ${why}`];
  });
  const fates = removed.flatMap((part) => {
    const { target } = part.link;
    if (part.fate === "stays")
      return [`${aboutPart(target)}its mirrors stay, because ${part.controller} mirrors it now`];
    return part.fate === "unknown"
      ? [`${aboutPart(target)}its mirrors stay for now, because ${part.why}`]
      : [];
  });
  const missing = reconciliation.missed.map(
    (key) =>
      `${args.source}: the pod of ${key} is away and has no StatefulSet: its mirror goes if the next run misses it too`,
  );
  return [
    ...away,
    ...fates,
    ...reconciliation.notes.map(([part, sentence]) => aboutPart(part) + sentence),
    ...missing,
    ...[...reconciliation.parts].flatMap(([part, { skips }]) =>
      skipNotes(skips).map((sentence) => aboutPart(part) + sentence),
    ),
  ];
}
