import { isIPv6 } from "node:net";
import { goesAt } from "../decide/policies/absent-pods.ts";
import { othersAmongFederated, sharedNotes } from "../decide/policies/other-stacks.ts";
import type { RemovedPart } from "../decide/policies/removed-links.ts";
import type { Decided, SourceObservation } from "../decide/decide.ts";
import { isSkip, isWanted, type Verdict } from "../decide/decision.ts";
import type { Gateway } from "../model/gateway.ts";
import type { LinkObservation } from "../model/observation.ts";
import { federatedPart } from "../model/owner.ts";
import type { MirrorsArgs } from "../model/state.ts";
import { count } from "../model/text.ts";
import type { PartView } from "./changes.ts";
import type { Note, PlannedOutcome, Unavailable } from "./outcome.ts";
import { lastBackends } from "./last-backends.ts";
import { skipNotes } from "./skips.ts";

/** The beginning of a sentence about a part. */
export function about(source: string, part: string): string {
  return part === federatedPart ? `${source}: ` : `${source} <- ${part}: `;
}

/** All that is said in a check, in the order in which it is said. */
export function notesOf(
  args: MirrorsArgs,
  outcome: PlannedOutcome,
  { unreachable, refused }: Unavailable,
  views: ReadonlyMap<string, PartView>,
): string[] {
  const { decided, removed, report } = outcome;
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
    ...summaries(args.source, views, outcome),
    ...away,
    ...dispositionNotes(args.source, removed),
    ...report.notes.map(([part, sentence]) => aboutPart(part) + sentence),
    ...missing,
    ...[...decided.judged].flatMap(([part, own]) =>
      skipNotes(own.filter(isSkip)).map((sentence) => aboutPart(part) + sentence),
    ),
  ];
}

/** Notes on what was observed, which a removal tells as well. Pure. */
export function observationNotes(
  { source, links, removed, stacks }: SourceObservation,
  { decisions, judged, portConflicts }: Decided,
): Note[] {
  // Of a target that is away nothing else is known, so nothing else is said.
  const unread = new Set(links.flatMap(({ link, target }) => (target ? [] : [link.target])));
  const read = decisions.filter(({ part }) => !unread.has(part));
  return [
    ...links.flatMap(({ link, target }) =>
      target?.gateway.known === true
        ? target.gateway.warnings.map((warning): Note => [link.target, warning])
        : [],
    ),
    ...removed.flatMap((part) =>
      part.disposition === "delete" ? part.notes.map((note): Note => [part.link.target, note]) : [],
    ),
    ...Object.entries(portConflicts).map(([origin, sentence]): Note => [
      federatedPart,
      `${origin}: ${sentence}`,
    ]),
    ...othersAmongFederated(source, links, stacks).notes.map((note): Note => [federatedPart, note]),
    ...downNotes(linkGateways(links), judged),
    ...sharedNotes(read, stacks),
  ];
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

/** By target: the gateways that this run knows, those of targets that can't be read included. */
export function linkGateways(links: readonly LinkObservation[]): ReadonlyMap<string, Gateway> {
  return new Map(
    links.flatMap(({ link, target, remembered }) => {
      const gateway = target === undefined ? remembered : foundIn(target);
      return gateway === undefined ? [] : [[link.target, gateway] as const];
    }),
  );
}

function foundIn({
  gateway,
  awaited,
}: NonNullable<LinkObservation["target"]>): Gateway | undefined {
  return gateway.known && !awaited ? gateway.gateway : undefined;
}

/** For each gateway that is down: why, and how many mirrors lead nowhere because of it. */
function downNotes(gateways: ReadonlyMap<string, Gateway>, judged: Decided["judged"]): Note[] {
  return [...gateways].flatMap(([target, { addresses, probe }]) => {
    if (probe?.down === undefined) return [];
    const { path, port, down } = probe;
    const where = addresses.map((ip) => `${isIPv6(ip) ? `[${ip}]` : ip}:${port}`).join(", ");
    const out = (judged.get(target) ?? [])
      .filter(isWanted)
      .filter(({ wanted }) => wanted.endpoints?.subsets.some(({ ready }) => ready === false));
    const what = `${count(out.length, "mirror")} ${out.length === 1 ? "leads" : "lead"} nowhere`;
    return [
      [target, `its gateway ${where} fails its probe ${path} (${down}): ${what} until it answers`],
    ] as const;
  });
}

/** How many mirrors with the same sign are named; where there are more, they are only counted. */
const named = 3;

const signs: readonly (readonly [sign: string, verdicts: readonly Verdict[]])[] = [
  ["+", ["create"]],
  ["~", ["update", "replace"]],
  ["-", ["delete"]],
];

/** What names lose with a part, which a count of mirrors does not show. */
function lossOf(names: readonly string[]): string {
  if (names.length === 0) return "";
  return `; nothing is left of ${names.length > named ? `${names.length} Services` : names.join(", ")}`;
}

/**
 * One line for each part whose mirrors are going to change, so that a run tells what comes and goes
 * without `--diff`. A part that stays as it is has none: why Services are not mirrored is told anyway.
 */
export function summaries(
  source: string,
  views: ReadonlyMap<string, PartView>,
  { source: snapshot, decided }: Pick<PlannedOutcome, "source" | "decided">,
): string[] {
  const last = lastBackends(snapshot, decided.decisions);
  return [...views].flatMap(([part, view]) => {
    // Pulumi says itself that what is awaited is not known yet.
    const summary = view.awaited === undefined ? summaryOf(view) : undefined;
    if (summary === undefined) return [];
    const what = part === federatedPart ? "federated Services " : "";
    return [`${about(source, part)}${what}${summary}${lossOf(last.get(part) ?? [])}`];
  });
}

/**
 * `+12 ~1 -2, 4 not mirrored (~ shop/web-west; - shop/cart-west, shop/db-west)`; undefined where no
 * mirror comes, changes or goes.
 */
export function summaryOf({ decisions, adopted, forgotten }: PartView): string | undefined {
  const groups = signs.flatMap(([sign, verdicts]) => {
    const keys = decisions.flatMap(({ verdict, key }) => (verdicts.includes(verdict) ? key : []));
    return keys.length === 0 ? [] : [{ sign, keys }];
  });
  if (groups.length + adopted.length + forgotten.length === 0) return undefined;
  const counts = [
    groups.map(({ sign, keys }) => `${sign}${keys.length}`).join(" "),
    counted(adopted, "adopted"),
    counted(forgotten, "forgotten"),
    counted(decisions.filter(isSkip), "not mirrored"),
  ].filter((text) => text !== "");
  const names = groups.flatMap(({ sign, keys }) =>
    keys.length > named ? [] : [`${sign} ${keys.join(", ")}`],
  );
  return counts.join(", ") + (names.length === 0 ? "" : ` (${names.join("; ")})`);
}

function counted({ length }: readonly unknown[], words: string): string {
  return length === 0 ? "" : `${length} ${words}`;
}
