import { type Decision, isSkip, namespacesToCreate, type Skipped } from "../../model/decision.ts";
import { federatedPart } from "../../model/owner.ts";
import {
  type DecidedRoutes,
  describeRoute,
  routeAfter,
  type RouteDecision,
  routesPart,
} from "../../model/route.ts";
import { type Before, type ChangeTexts, mirrorsBefore } from "../../model/state.ts";
import { isPending } from "../../model/verdicts.ts";
import { count } from "../../base/message.ts";
import { lineOf } from "./describe.ts";
import type { LinkStatusPart, PlannedOutcome } from "./outcome.ts";
import { type Change, type Part, type PartReport, reportOn } from "./part.ts";
import { lastBackends, mostNamed, notMirrored, skipNotes } from "./summary.ts";

/** Puts parts that could be judged first. */
export function partsOf(before: Before, outcome: PlannedOutcome): PartReport[] {
  const { args, source, decided, routes } = outcome;
  const namespaces = Map.groupBy(namespacesToCreate(decided.decisions, source), ([, by]) => by);
  const lost = lastBackends(source, decided.decisions);
  const statuses = statusTexts(outcome.report.statuses);
  const parts = [
    ...[...decided.decisionsByPart].map(([part, decisions]) => mirrorsPart(part, decisions)),
    ...("why" in routes ? [] : [failoverPart(decided.failover)]),
  ];
  const namesAll = parts.flatMap(({ changes }) => changes.filter(isPending)).length <= mostNamed;
  const judged = parts.map((each): PartReport => {
    const { part } = each;
    const { [part]: observed } = args.observedGateways ?? {};
    const report = reportOn(each, {
      before: mirrorsBefore(before, part),
      lost: lost.get(part) ?? [],
      pendingText: typeof observed === "string" ? observed : undefined,
      namespaces: (namespaces.get(part) ?? []).map(([name]) => name),
      namesAll,
    });
    return { ...report, changes: { ...report.changes, ...statuses.get(part) } };
  });
  return [...judged, ...undecidedParts(before, outcome, new Set(parts.map(({ part }) => part)))];
}

export function mirrorsPart(part: string, decisions: readonly Decision[]): Part {
  const skips = decisions.filter(isSkip);
  return {
    part,
    changes: decisions.flatMap((each) => (isSkip(each) ? [] : [changeOf(each)])),
    refused: { list: notMirrored(skips), lines: skipNotes(skips), count: skips.length },
  };
}

function changeOf(decision: Exclude<Decision, Skipped>): Change {
  const { service, endpoints } = decision.live;
  return {
    ...decision,
    line: lineOf(decision),
    missing: endpoints === undefined ? "it" : "its Service",
    unneeded:
      service === undefined
        ? "Endpoints left behind without their Service"
        : "no exported Service needs it",
  };
}

function failoverPart({ routes, problems }: DecidedRoutes): Part {
  const sentences = Map.groupBy(problems, ({ key }) => key);
  const list = [...sentences].map(([key, all]) => {
    return [key, all.map(({ sentence }) => sentence).join("; ")] as const;
  });
  return {
    part: routesPart,
    changes: routes.map(changeOfRoute),
    refused: {
      list: Object.fromEntries(list),
      lines: problems.map(({ key, sentence }) => `${routesPart} ${key}: ${sentence}`),
      count: 0,
    },
  };
}

function changeOfRoute(route: RouteDecision): Change {
  const { key, verdict } = route;
  const after = routeAfter(route);
  return {
    key,
    verdict,
    line: after && describeRoute(after),
    fields:
      route.verdict === "update"
        ? [{ field: "spec", live: describeRoute(route.live), wanted: describeRoute(route.wanted) }]
        : [],
    missing: "it",
    unneeded: "no Service fails over by it",
    keeper: "whoever has changed its label or marks",
  };
}

/** Keeps the previous run's lists of parts about which nothing was decided. */
function undecidedParts(
  before: Before,
  { links, removed }: Pick<PlannedOutcome, "links" | "removed">,
  decided: ReadonlySet<string>,
): PartReport[] {
  const current = [...links.map(({ link: { target } }) => target), routesPart];
  const known = [...current, ...removed.map(({ link: { target } }) => target)];
  const unchanged = known
    .filter((part) => !decided.has(part))
    .map((part): PartReport => {
      const { [part]: refused = {} } = current.includes(part) ? (before.notMirrored ?? {}) : {};
      return { part, mirrors: mirrorsBefore(before, part), changes: {}, notMirrored: refused };
    });
  // The list of a removed link without mirrors is dropped.
  const seen = new Set([...decided, ...known]);
  const listed = typeof before.mirrors === "object" ? Object.keys(before.mirrors) : [];
  const forgotten = listed
    .filter((part) => !seen.has(part))
    .map((part): PartReport => {
      const report = reportOn(mirrorsPart(part, []), { before: mirrorsBefore(before, part) });
      return { ...report, summary: undefined };
    });
  return [...unchanged, ...forgotten];
}

function statusTexts(statuses: readonly LinkStatusPart[]): ReadonlyMap<string, ChangeTexts> {
  const texts = new Map<string, ChangeTexts>();
  for (const each of statuses) {
    const { link, list, live, isDue } = each;
    if (!isDue) continue;
    const key = `Link ${link}`;
    const part = list === "federatedServices" ? federatedPart : live.metadata.name;
    const known = texts.get(part);
    const fields = { ...known?.[key], [`status.${list}`]: statusText(each) };
    texts.set(part, { ...known, [key]: fields });
  }
  return texts;
}

function statusText(status: LinkStatusPart): string {
  if (status.list === "trustRoots") {
    const { length } = status.roots.full.match(/BEGIN CERTIFICATE/g) ?? [];
    return `the trust bundle of ${status.live.metadata.name}, ${count(length, "certificate")}`;
  }
  const { entries } = status;
  const mirrored = entries.filter(({ problem }) => problem === undefined).length;
  return `${count(mirrored, "Service")} mirrored, ${entries.length - mirrored} not`;
}
