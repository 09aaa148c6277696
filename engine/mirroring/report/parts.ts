import {
  type Decision,
  isChange,
  isSkip,
  namespacesToCreate,
  type Skipped,
} from "../model/decision.ts";
import type { FieldChange } from "../model/mirror.ts";
import { federatedPart } from "../model/owner.ts";
import { describeRoute, routeAfter, routesPart } from "../model/route.ts";
import { type Before, type ChangeTexts, type MirrorLines, mirrorsBefore } from "../model/state.ts";
import { count } from "../../message.ts";
import { linesOf, setBy } from "./describe.ts";
import type { PlannedOutcome } from "./outcome.ts";
import {
  lastBackends,
  mostNamed,
  notMirrored,
  skipNotes,
  type Summary,
  summaryOf,
} from "./summary.ts";
import type { LinkStatusList } from "../model/service-status.ts";

export interface PartReport {
  readonly part: string;
  readonly mirrors: MirrorLines | string;
  readonly changes: ChangeTexts;
  readonly notMirrored: Readonly<Record<string, string>>;
  readonly summary?: Summary | undefined;
  readonly skips?: readonly string[];
}

interface DecidedPart {
  readonly part: string;
  readonly decisions: readonly Decision[];
  readonly before: MirrorLines;
  /** Stands for the mirrors behind a gateway that this run will create. */
  readonly pendingText?: string | undefined;
  readonly namespaces?: readonly string[];
  readonly lost?: readonly string[];
  readonly namesAll?: boolean;
}

/** Puts parts that could be judged first. */
export function partsOf(before: Before, outcome: PlannedOutcome): PartReport[] {
  const { args, source, decided } = outcome;
  const namespaces = Map.groupBy(namespacesToCreate(decided.decisions, source), ([, by]) => by);
  const lost = lastBackends(source, decided.decisions);
  const statuses = statusTexts(outcome.report.statuses);
  const routes = decided.failover.routes.filter(({ verdict }) => verdict !== "keep");
  const namesAll = decided.decisions.filter(isChange).length + routes.length <= mostNamed;
  const judged = [...decided.decisionsByPart].map(([part, decisions]): PartReport => {
    const { [part]: observed } = args.observedGateways ?? {};
    const report = reportOn({
      part,
      decisions,
      before: mirrorsBefore(before, part),
      lost: lost.get(part) ?? [],
      pendingText: typeof observed === "string" ? observed : undefined,
      namespaces: (namespaces.get(part) ?? []).map(([name]) => name),
      namesAll,
    });
    return { ...report, changes: { ...report.changes, ...statuses.get(part) } };
  });
  return [
    ...judged,
    ...routesReport(before, outcome, namesAll),
    ...undecidedParts(before, outcome),
  ];
}

function routesReport(
  before: Before,
  { routes: reading, decided: { failover } }: Pick<PlannedOutcome, "routes" | "decided">,
  namesAll: boolean,
): PartReport[] {
  const lines = mirrorsBefore(before, routesPart);
  if ("why" in reading) return [{ part: routesPart, mirrors: lines, changes: {}, notMirrored: {} }];
  const texts = failover.routes.flatMap((route): [string, Record<string, string>][] => {
    const { key, verdict, live } = route;
    if (verdict === "update") {
      const line = describeRoute(route.wanted);
      const text = live === undefined ? line : `${describeRoute(live)} → ${line}`;
      return [[key, { spec: text }]];
    }
    if (verdict === "create" && Object.hasOwn(lines, key))
      return [[key, { action: "recreate: it is missing" }]];
    return verdict === "delete" && !Object.hasOwn(lines, key)
      ? [[key, { action: "delete: no Service fails over by it" }]]
      : [];
  });
  const problems = Map.groupBy(failover.problems, ({ key }) => key);
  return [
    {
      part: routesPart,
      mirrors: Object.fromEntries(
        failover.routes.flatMap((route) => {
          const after = routeAfter(route);
          return after === undefined ? [] : [[route.key, describeRoute(after)] as const];
        }),
      ),
      changes: Object.fromEntries(texts),
      notMirrored: Object.fromEntries(
        [...problems].map(([key, all]) => [key, all.map(({ sentence }) => sentence).join("; ")]),
      ),
      summary: summaryOf(failover.routes, 0, 0, [], namesAll),
      skips: failover.problems.map(({ key, sentence }) => `${key}: ${sentence}`),
    },
  ];
}

/** Keeps the previous run's lists of parts about which nothing was decided. */
function undecidedParts(
  before: Before,
  {
    links,
    removed,
    decided: { decisionsByPart },
  }: Pick<PlannedOutcome, "links" | "removed" | "decided">,
): PartReport[] {
  const unchanged = (part: string, notMirrored: PartReport["notMirrored"] = {}): PartReport => {
    return { part, mirrors: mirrorsBefore(before, part), changes: {}, notMirrored };
  };
  const parts = [
    ...links.map(({ link: { target } }) => unchanged(target, before.notMirrored?.[target])),
    ...removed.map(({ link: { target } }) => unchanged(target)),
  ];
  const seen = new Set([routesPart, ...decisionsByPart.keys(), ...parts.map(({ part }) => part)]);
  // The list of a removed link without mirrors is dropped.
  const listed = typeof before.mirrors === "object" ? Object.keys(before.mirrors) : [];
  const forgotten = listed
    .filter((part) => !seen.has(part))
    .map((part): PartReport => {
      const report = reportOn({ part, decisions: [], before: mirrorsBefore(before, part) });
      return { ...report, summary: undefined };
    });
  return [...parts.filter(({ part }) => !decisionsByPart.has(part)), ...forgotten];
}

export function reportOn(decided: DecidedPart): PartReport {
  const { part, decisions, before, pendingText, namespaces = [], lost = [] } = decided;
  const { namesAll = true } = decided;
  const skips = decisions.filter(isSkip);
  const about = { part, notMirrored: notMirrored(skips), skips: skipNotes(skips) };
  // While a gateway doesn't exist yet, only new mirrors can be predicted.
  const bringsOnly = decisions.every(({ verdict }) => verdict === "create" || verdict === "skip");
  if (pendingText !== undefined && !bringsOnly)
    return { ...about, mirrors: pendingText, changes: {} };
  const wasListed = (key: string) => Object.hasOwn(before, key);
  const mirrors = new Map<string, Exclude<Decision, Skipped>>(
    decisions.flatMap((each) => (isSkip(each) ? [] : [[each.key, each] as const])),
  );
  const keys = [...new Set([...mirrors.keys(), ...Object.keys(before)])];
  const texts = keys.flatMap((key) => {
    const text = changeTexts(mirrors.get(key), wasListed(key));
    return text === undefined ? [] : [[key, text] as const];
  });
  const verdictOf = (key: string) => mirrors.get(key)?.verdict ?? "handOver";
  const created = namespaces.map(
    (name) => [`namespace ${name}`, { action: "create, with its first mirrors" }] as const,
  );
  return {
    ...about,
    mirrors: linesOf(decisions),
    changes: Object.fromEntries([...created, ...texts]),
    summary: summaryOf(
      decisions,
      // The list gains or loses these entries although nothing is written.
      keys.filter((key) => verdictOf(key) === "keep" && !wasListed(key)).length,
      keys.filter((key) => verdictOf(key) === "handOver" && wasListed(key)).length,
      lost,
      namesAll,
    ),
  };
}

/**
 * Tells what a diff of the lists of two runs can't show. It can't show that a listed mirror is missing or altered, or
 * that an unlisted one will be deleted; and it shows an adopted mirror as new, and a released one as deleted.
 *
 * @param decision absent if there is no such mirror any longer
 */
function changeTexts(
  decision: Exclude<Decision, Skipped> | undefined,
  wasListed: boolean,
): ChangeTexts[string] | undefined {
  switch (decision?.verdict) {
    case "create":
      if (!wasListed) return undefined;
      return decision.live.endpoints === undefined
        ? { action: "recreate: it is missing" }
        : { action: "recreate: its Service is missing" };
    case "delete":
      if (wasListed) return undefined;
      return decision.live.service === undefined
        ? { action: "delete: Endpoints left behind without their Service" }
        : { action: "delete: no exported Service needs it" };
    case "replace":
      return { action: "replace: delete and create again", ...fieldTexts(decision.fields) };
    case "update":
      // A mirror that also gets this stack's mark says so by its fields.
      return fieldTexts(decision.fields);
    case "keep":
      if (decision.mark === "confirm")
        return { action: "adopt: it exists and gets this stack's mark" };
      return wasListed ? undefined : { action: "adopt: already exists" };
    case "handOver":
      if (!wasListed && decision.mark === undefined) return undefined;
      return {
        action: `leave: ${decision.keeper === undefined ? "it carries no mark of this stack" : `${decision.keeper} keeps it`}`,
      };
    default:
      return wasListed
        ? { action: "unlist: already deleted, or no longer this stack's" }
        : undefined;
  }
}

/** State keeps these texts, and a target can change many fields of a mirror. */
export const mostFields = 20;

function fieldTexts(fields: readonly FieldChange[]): Readonly<Record<string, string>> {
  const lines = fields.map(
    ({ field, live, wanted, writer }) => [field, `${live}${setBy(writer)} → ${wanted}`] as const,
  );
  const more = lines.length - mostFields;
  return {
    ...Object.fromEntries(lines.slice(0, mostFields)),
    ...(more > 0 && { "more fields": String(more) }),
  };
}

function statusTexts(statuses: readonly LinkStatusList[]): ReadonlyMap<string, ChangeTexts> {
  const texts = new Map<string, ChangeTexts>();
  for (const { link, list, live, entries, isDue } of statuses) {
    if (!isDue) continue;
    const mirrored = entries.filter(({ problem }) => problem === undefined).length;
    const text = `${count(mirrored, "Service")} mirrored, ${entries.length - mirrored} not`;
    const part = list === "federatedServices" ? federatedPart : live.metadata.name;
    texts.set(part, { ...texts.get(part), [`Link ${link}`]: { [`status.${list}`]: text } });
  }
  return texts;
}
