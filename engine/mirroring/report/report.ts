import { isIPv6 } from "node:net";
import { objectKey } from "../../kubernetes/objects/objects.ts";
import { federatedPart } from "../model/owner.ts";
import { type Decision, isWanted, ofPart } from "../decide/decision.ts";
import type { Gateway } from "../model/gateway.ts";
import type { LinkObservation } from "../model/observation.ts";
import { count } from "../model/text.ts";
import { emptyStatus, federatedStatus, type LinkStatuses, mirrorStatus } from "./status.ts";
import { othersAmongFederated, sharedNotes } from "../decide/policies/other-stacks.ts";
import { gatewayFact } from "../model/remembered-gateways.ts";
import type { Decided, SourceObservation } from "../decide/decide.ts";
import { type ByPart, type GatewayFact, makesLinks } from "../model/state.ts";

/** A sentence and the part that it is about. */
export type Note = readonly [part: string, sentence: string];

/** What there is to say of the decisions about a source, beside what previews show of each. */
export interface Report {
  readonly notes: readonly Note[];
  readonly statuses: LinkStatuses;
  /** By target. */
  readonly gateways: ByPart<GatewayFact>;
}

/** Pure. */
export function report(observation: SourceObservation, decided: Decided): Report {
  const { source, links, stacks } = observation;
  const gateways = linkGateways(links);
  // Of a target that is away nothing else is known, so nothing else is said.
  const unread = new Set(links.flatMap(({ link, target }) => (target ? [] : [link.target])));
  const read = decided.decisions.filter(({ part }) => !unread.has(part));
  return {
    gateways: Object.fromEntries(
      [...gateways].map(([name, gateway]) => [name, gatewayFact(gateway)]),
    ),
    notes: [
      ...notesOf(observation, decided),
      ...othersAmongFederated(source, links, stacks).notes.map((note): Note => [
        federatedPart,
        note,
      ]),
      ...downNotes(gateways, decided.decisions),
      ...sharedNotes(read, stacks),
    ],
    statuses: [...statusesOf(observation, decided), ...formerStatuses(observation, decided)],
  };
}

function notesOf({ links, removed }: SourceObservation, { portConflicts }: Decided): Note[] {
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
  ];
}

function statusesOf(
  { args: { statusIn }, links }: SourceObservation,
  { decisions, judged, united }: Decided,
): LinkStatuses {
  if (statusIn === undefined) return [];
  const joined = ofPart(decisions, federatedPart);
  return links.flatMap(({ link: { target: name }, target }) => {
    if (target === undefined || !judged.has(name)) return [];
    const link = objectKey(statusIn, name);
    return [
      mirrorStatus(link, ofPart(decisions, name)),
      federatedStatus(link, name, united, joined),
    ];
  });
}

/** A Link of somebody else's stays when its link leaves the stack, and would go on naming its mirrors. */
function formerStatuses({ args, removed }: SourceObservation, { judged }: Decided): LinkStatuses {
  const { statusIn } = args;
  if (statusIn === undefined || makesLinks(args)) return [];
  return removed.flatMap((part) =>
    part.disposition === "delete" && part.retained.size === 0 && judged.has(part.link.target)
      ? emptyStatus(objectKey(statusIn, part.link.target))
      : [],
  );
}

/** By target: the gateways that this run knows, those of targets that can't be read included. */
function linkGateways(links: readonly LinkObservation[]): ReadonlyMap<string, Gateway> {
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
function downNotes(
  gateways: ReadonlyMap<string, Gateway>,
  decisions: readonly Decision[],
): (readonly [target: string, sentence: string])[] {
  return [...gateways].flatMap(([target, { addresses, probe }]) => {
    if (probe?.down === undefined) return [];
    const { path, port, down } = probe;
    const where = addresses.map((ip) => `${isIPv6(ip) ? `[${ip}]` : ip}:${port}`).join(", ");
    const out = ofPart(decisions, target)
      .filter(isWanted)
      .filter(({ wanted }) => wanted.endpoints?.subsets.some(({ ready }) => ready === false));
    const what = `${count(out.length, "mirror")} ${out.length === 1 ? "leads" : "lead"} nowhere`;
    return [
      [target, `its gateway ${where} fails its probe ${path} (${down}): ${what} until it answers`],
    ] as const;
  });
}
