import { isIPv6 } from "node:net";
import type { Decided, SourceObservation } from "../decide/decide.ts";
import { isWanted, type Note } from "../decide/decision.ts";
import { goesAt } from "../decide/policies/absent-pods.ts";
import { gatewayOf } from "../model/observation.ts";
import { federatedPart } from "../model/owner.ts";
import type { ByPart } from "../model/state.ts";
import { count } from "../model/text.ts";
import type { PlannedOutcome } from "./outcome.ts";
import type { PartReport } from "./parts.ts";

/** The beginning of a sentence about a part. */
export function about(source: string, part: string): string {
  return part === federatedPart ? `${source}: ` : `${source} <- ${part}: `;
}

/**
 * One line for each part whose mirrors are going to change, so that a run tells what comes and goes
 * without `--diff`. A part that stays as it is has none: why Services are not mirrored is told anyway.
 */
export function summaries(source: string, parts: readonly PartReport[]): string[] {
  return parts.flatMap(({ part, summary }) => {
    if (summary === undefined) return [];
    const what = part === federatedPart ? "federated Services " : "";
    return [`${about(source, part)}${what}${summary}`];
  });
}

/**
 * What a check says beside summaries, in the order in which it is said.
 *
 * @param unavailable by cluster: why nothing can be done about what it has a part in
 */
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
      `${source}: the pod of ${key} is away since ${since} and has no StatefulSet: its mirror goes with the first run after ${goesAt(since).toISOString()}`,
  );
  return [
    ...away,
    ...report.notes.map(([part, sentence]) => about(source, part) + sentence),
    ...missing,
    ...parts.flatMap(({ part, skips = [] }) => skips.map((line) => about(source, part) + line)),
  ];
}

/** Notes on what was observed and decided, which a removal tells as well. Pure. */
export function observationNotes(
  { links }: Pick<SourceObservation, "links">,
  { judged, portConflicts, notes }: Decided,
): Note[] {
  return [
    ...links.flatMap(({ link, target }) =>
      target?.gateway.known === true
        ? target.gateway.warnings.map((warning): Note => [link.target, warning])
        : [],
    ),
    ...links.flatMap((each) => downNote(each, judged)),
    ...Object.entries(portConflicts).map(([origin, sentence]): Note => [
      federatedPart,
      `${origin}: ${sentence}`,
    ]),
    ...notes,
  ];
}

/** Of a gateway that is down: why, and how many mirrors lead nowhere because of it. */
function downNote(each: SourceObservation["links"][number], judged: Decided["judged"]): Note[] {
  const { addresses, probe } = gatewayOf(each) ?? {};
  if (addresses === undefined || probe?.down === undefined) return [];
  const { target } = each.link;
  const { path, port, down } = probe;
  const where = addresses.map((ip) => `${isIPv6(ip) ? `[${ip}]` : ip}:${port}`).join(", ");
  const out = (judged.get(target) ?? [])
    .filter(isWanted)
    .filter(({ wanted }) => wanted.endpoints?.subsets.some(({ ready }) => ready === false));
  const what = `${count(out.length, "mirror")} ${out.length === 1 ? "leads" : "lead"} nowhere`;
  return [
    [target, `its gateway ${where} fails its probe ${path} (${down}): ${what} until it answers`],
  ];
}
