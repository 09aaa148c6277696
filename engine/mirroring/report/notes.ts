import { objectKey } from "../../kubernetes/objects/objects.ts";
import { listed } from "../../base/message.ts";
import { valueIn } from "../../base/result.ts";
import type { Decided } from "../decide/decide.ts";
import type { SourceObservation } from "../decide/desired.ts";
import { deletionTime } from "../../model/absent-pods.ts";
import {
  alsoFederatesText,
  alsoMirrorsText,
  type Controller,
  running,
} from "../../model/controller.ts";
import { type Decision, isListed, isWanted, type Note } from "../../model/decision.ts";
import { federatedPart } from "../../model/owner.ts";
import { routesPart } from "../../model/route.ts";
import type { Before, ByPart, MirrorsArgs } from "../../model/state.ts";
import type { LinkStatusPart, PlannedOutcome, Report } from "./outcome.ts";
import type { PartReport } from "./part.ts";

/** Other parts are the mirrors of one target each. */
const ofWholeSource: ByPart<string> = {
  [federatedPart]: "federated Services",
  [routesPart]: routesPart,
};

export function about(source: string, part: string): string {
  return Object.hasOwn(ofWholeSource, part) ? `${source}: ` : `${source} → ${part}: `;
}

export function summaryLines(source: string, parts: readonly PartReport[]): string[] {
  return parts.flatMap(({ part, summary }) => {
    if (summary === undefined) return [];
    const { [part]: what } = ofWholeSource;
    return [`${about(source, part)}${what === undefined ? "" : `${what} `}${summary.text}`];
  });
}

/** A run shows these lines even without `--diff`. */
export function summaries(source: string, parts: readonly PartReport[]): string[] {
  const lines = summaryLines(source, parts);
  if (!parts.some(({ summary }) => summary?.isCut)) return lines;
  return lines.with(-1, `${lines.at(-1) ?? ""}; pulumi preview --diff names each mirror`);
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

/** A preview shows only that Pulumi deletes the resource of a cluster that was renamed. */
export function stayingNotes({ revision }: Before, { args, decided }: PlannedOutcome): string[] {
  const isThere = (each: Decision) =>
    each.verdict === "keep" && isWanted(each) && each.mark === undefined;
  return revision === undefined && decided.decisions.some(isThere)
    ? [
        `${args.source}: if the cluster was renamed, what is already there stays, although Pulumi deletes the resource Mirrors of its former name`,
      ]
    : [];
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

/** The run that begins to keep the trust roots of a Link's target says so, and no later one. */
export function trustRootsNotes(
  { links, args: { statusIn = "" } }: Pick<SourceObservation, "links" | "args">,
  statuses: readonly LinkStatusPart[],
): Note[] {
  const unread = links.flatMap(({ link: { target }, trustRoots }): Note[] => {
    if (trustRoots === undefined || "value" in trustRoots) return [];
    const link = `Link ${objectKey(statusIn, target)}`;
    return [[target, `status.trustRoots of ${link} stays as it is, because ${trustRoots.why}`]];
  });
  const begun = statuses.flatMap(({ list, live, link }): Note[] => {
    if (list !== "trustRoots" || live.status?.trustRoots !== undefined) return [];
    const { name } = live.metadata;
    return [
      [
        name,
        `from now on, runs keep the trust bundle of ${name} in status.trustRoots of Link ${link}`,
      ],
    ];
  });
  return [...unread, ...begun];
}

/** Linkerd's local service mirror may write these federated Services too. */
export function federatedKeys({ decisionsByPart }: Decided): string[] {
  return (decisionsByPart.get(federatedPart) ?? []).filter(isListed).map(({ key }) => key);
}

/** Reports Linkerd's controllers that write the same objects, and leaves the status of Links to them. Pure. */
export function withoutControllersLinks(
  args: MirrorsArgs,
  statuses: readonly LinkStatusPart[],
  federated: readonly string[],
  controllers: readonly Controller[],
  mayKeepStatus: boolean,
): Report {
  const { source, clusters, links, statusIn = "" } = args;
  const mirroring = links.flatMap(({ target }) =>
    running(controllers, target).map((each): Note => [target, alsoMirrorsText(source, each)]),
  );
  const context = clusters[source]?.context ?? source;
  const local = federated.length === 0 ? [] : running(controllers, undefined);
  const federating = local.map((each): Note => [
    federatedPart,
    alsoFederatesText(source, context, each, listed(federated)),
  ]);
  const theirs = new Set(mirroring.map(([target]) => objectKey(statusIn, target)));
  const ours = statuses.filter(({ link }) => !theirs.has(link));
  const due = ours.filter(({ isDue }) => isDue);
  const notes = [...mirroring, ...federating];
  if (due.length === 0 || mayKeepStatus) return { statuses: ours, notes };
  return { statuses: [], notes: [...notes, [federatedPart, notAllowed(args, due)]] };
}

function notAllowed({ statusIn = "" }: MirrorsArgs, due: readonly LinkStatusPart[]): string {
  const names = [...new Set(due.map(({ link }) => link))].sort();
  return `the status of ${names.length === 1 ? "Link" : "Links"} ${listed(names)} isn't updated and may be out of date, because the runner may not patch links/status in namespace ${statusIn}: grant that (docs/reference/access.md), or rely on what this program prints`;
}
