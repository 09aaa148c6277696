import type { Cause } from "../../user-error.ts";
import { isDeepStrictEqual } from "node:util";
import { defined } from "../../kubernetes/objects/defined.ts";
import { type Decision, isSent, isSkip } from "../decide/decision.ts";
import { removedLinks } from "../decide/policies/removed-links.ts";
import { type ClusterReadings, gatewayOf, unreadTargets } from "../model/observation.ts";
import {
  type Before,
  type ByPart,
  type ChangeTexts,
  gatewayFact,
  type Inputs,
  type Memory,
  type MirrorsArgs,
  nonEmpty,
  type Planned,
  stacksNow,
} from "../model/state.ts";
import { managerOf, wholeMarks } from "../model/marks.ts";
import { notesOf, summaries } from "./notes.ts";
import type { Outcome, PlannedOutcome } from "./outcome.ts";
import { mostFields, type PartReport, partsOf } from "./parts.ts";

/** An outcome as a preview shows it, with what there is to say that no diff has a place for. */
export interface CheckedPlan {
  readonly inputs: Inputs;
  /** Sentences about what the user has to fix; then nothing may be done. */
  readonly mistakes: readonly string[];
  /** What comes, changes and goes, in a line for each part: the first of the notes. */
  readonly summaries: readonly string[];
  readonly notes: readonly string[];
  /** Whether a run would write anything to the source. */
  readonly hasWrites: boolean;
}

const nothing = { mistakes: [], summaries: [], notes: [], hasWrites: false };

/**
 * Turns what was found into inputs, where a preview shows it: maps by part, so that it reads link by
 * link. Nothing in them depends on when they are made, so that a saved plan holds. Pure.
 */
export function inputsFor(before: Before, args: MirrorsArgs, outcome: Outcome): CheckedPlan {
  if (outcome.outcome === "invalid") {
    const inputs = { ...args, mirrors: {}, revision: 0 };
    return { ...nothing, inputs, mistakes: outcome.mistakes };
  }
  if (outcome.outcome === "sourceUnreadable") return keepAll(before, args, outcome.readings);
  const { decided, readings, report } = outcome;
  const unreachable = whys(readings, "unreachable");
  const refused = { ...whys(readings, "refused"), ...decided.refusals };
  const parts = partsOf(before, outcome);
  const planned = {
    ...memoryOf(before, args, outcome),
    ...nonEmpty("missing", decided.missing),
    ...nonEmpty("portConflicts", decided.portConflicts),
    ...nonEmpty(
      "notMirrored",
      byPart(parts, ({ notMirrored }) => notMirrored),
    ),
    ...nonEmpty("unreachable", Object.keys(unreachable).sort()),
    ...nonEmpty("refused", refused),
  };
  const pending = byPart(parts, ({ changes }) => changes);
  const mirrors = byPart(parts, (part) => part.mirrors);
  const hasWrites = decided.decisions.some(isSent) || report.statuses.some(({ isDue }) => isDue);
  const isNews =
    Object.keys(pending).length > 0 ||
    hasWrites ||
    Object.keys(refused).length > 0 ||
    differs(before, { ...args, ...planned });
  const lines = summaries(args.source, parts);
  return {
    inputs: {
      ...args,
      ...planned,
      mirrors,
      ...nonEmpty("changes", isNews ? historyOf(before, pending, mirrors) : {}),
      revision: revisionAfter(before, isNews),
    },
    ...{ mistakes: [], hasWrites, summaries: lines },
    notes: [...lines, ...notesOf(outcome, { ...refused, ...unreachable }, parts)],
  };
}

/** What there is of it, by part. */
function byPart<T extends object | string>(
  parts: readonly PartReport[],
  of: (report: PartReport) => T,
): ByPart<T> {
  const all = parts.map((report) => [report.part, of(report)] as const);
  return Object.fromEntries(all.filter(([, found]) => Object.keys(found).length > 0));
}

/** By cluster that could not be read: why. Those that are refused somebody has to mend, the others may pass. */
function whys(readings: ClusterReadings, cause: Cause): ByPart<string> {
  return Object.fromEntries(
    [...readings].flatMap(([name, reading]) =>
      "why" in reading && reading.cause === cause ? [[name, reading.why] as const] : [],
    ),
  );
}

/** The source says nothing, so nothing about it may be concluded. */
function keepAll(before: Before, args: MirrorsArgs, readings: ClusterReadings): CheckedPlan {
  const { identities, gateways, portConflicts, notMirrored, changes } = before;
  const [unreachable, refused] = [whys(readings, "unreachable"), whys(readings, "refused")];
  const removed = removedLinks(args, before);
  const inputs = {
    ...args,
    ...defined({ identities, gateways, portConflicts, notMirrored, changes }),
    ...formerStacks(before, args),
    mirrors: typeof before.mirrors === "object" ? before.mirrors : {},
    ...(removed.length > 0 && { removedLinks: removed }),
    ...nonEmpty("unreachable", Object.keys(unreachable).sort()),
    ...nonEmpty("refused", refused),
  };
  const isNews = Object.keys(refused).length > 0 || differs(before, inputs);
  const { source } = args;
  const why = unreachable[source] ?? refused[source] ?? "it can't be read";
  return {
    ...{ ...nothing, inputs: { ...inputs, revision: revisionAfter(before, isNews) } },
    notes: [`${source}: its mirrors stay as they are, because ${why}`],
  };
}

/** Made anew from what the run before knew, so that nothing is remembered that no longer holds. */
function memoryOf(before: Before, args: MirrorsArgs, outcome: PlannedOutcome): Memory {
  const { links, readings, removed } = outcome;
  const known = links.flatMap((each) => {
    const gateway = gatewayOf(each);
    return gateway === undefined ? [] : [[each.link.target, gatewayFact(gateway)] as const];
  });
  const identities = Object.fromEntries(
    [...readings].flatMap(([name, reading]) => {
      const uid = "value" in reading ? reading.value.identity : before.identities?.[name];
      return uid === undefined ? [] : [[name, uid] as const];
    }),
  );
  // What was known of a target is still the best that is known while it can't be read.
  const unread = unreadTargets(links);
  const gateways = Object.entries(before.gateways ?? {}).filter(([name]) => unread.has(name));
  const staying = removed
    .filter(({ disposition }) => disposition !== "handOver")
    .map(({ link }) => link);
  return {
    identities,
    ...nonEmpty("gateways", Object.fromEntries([...gateways, ...known])),
    ...(staying.length > 0 && { removedLinks: staying }),
    ...formerStacks(before, args, outcome),
  };
}

/**
 * A stack that has been renamed knows its marks by the old name too, until a run renews all that the source has. If that
 * run fails, the inputs of the one before stay, and with them the name.
 */
function formerStacks(
  before: Before,
  args: MirrorsArgs,
  outcome?: PlannedOutcome,
): Pick<Planned, "formerStacks" | "renewedStacks"> {
  const { source, decided } = outcome ?? {};
  const renewed = new Set(
    decided?.decisions.flatMap((each) =>
      isSent(each) && !isSkip(each) && !hasUnknownMembers(each) ? [each.key] : [],
    ),
  );
  const marks = new Set(
    [...(source?.services ?? [])].flatMap(([key, { metadata }]) =>
      renewed.has(key) ? [] : wholeMarks(metadata),
    ),
  );
  const former = stacksNow(before, args).filter((name) => name !== args.stack);
  if (former.length === 0) return {};
  const renewedStacks = former.filter(
    (name) => source !== undefined && !marks.has(managerOf(name)),
  );
  return { formerStacks: former, ...(renewedStacks.length > 0 && { renewedStacks }) };
}

function hasUnknownMembers(decision: Decision): boolean {
  return (
    !isSkip(decision) && decision.claim?.members.some(({ stance }) => stance === "unknown") === true
  );
}

/**
 * Pulumi shows how inputs differ from those of the last run. So lines of that run stay in, where
 * they show as nothing, until a run finds all in order; a line that comes up again is told apart.
 */
export function withHistory(before: ChangeTexts = {}, pending: ChangeTexts = {}): ChangeTexts {
  const told = Object.entries(pending).map(([key, changes]) => {
    const earlier = before[key] ?? {};
    const lines = Object.entries(changes).map(
      ([field, text]) => [field, earlier[field] === text ? `${text} (again)` : text] as const,
    );
    const texts = { ...earlier, ...Object.fromEntries(lines) };
    // State would grow with each field that a target changes.
    const isLong = Object.keys(texts).length > mostFields;
    return [key, isLong ? Object.fromEntries(lines) : texts] as const;
  });
  return { ...before, ...Object.fromEntries(told) };
}

/** @param mirrors those that there are once this run is through; texts about others are no longer kept */
function historyOf(
  before: Before,
  pending: ByPart<ChangeTexts>,
  mirrors: Inputs["mirrors"],
): ByPart<ChangeTexts> {
  const parts = new Set([...Object.keys(before.changes ?? {}), ...Object.keys(pending)]);
  return Object.fromEntries(
    [...parts].sort().flatMap((part) => {
      const lines = typeof mirrors === "object" ? mirrors[part] : undefined;
      const earlier = Object.entries(before.changes?.[part] ?? {}).filter(
        // Texts about namespaces and Links, which are no mirrors, have a space in their keys.
        ([key]) =>
          key.includes(" ") || typeof lines === "string" || Object.hasOwn(lines ?? {}, key),
      );
      const texts = withHistory(Object.fromEntries(earlier), pending[part]);
      return Object.keys(texts).length === 0 ? [] : [[part, texts] as const];
    }),
  );
}

/** @param isNews whether there is something to do or to say */
function revisionAfter({ revision }: Before, isNews: boolean): number {
  return revision === undefined || isNews ? (revision ?? 0) + 1 : revision;
}

/** Whether there is anything new to tell or to remember, beside the mirrors themselves. */
function differs(before: Before, now: Omit<Inputs, "mirrors" | "revision">): boolean {
  return !isDeepStrictEqual(toldIn(before), toldIn(now)) || accessDiffers(before, now);
}

function toldIn({ notMirrored = {}, gateways = {}, portConflicts = {}, ...inputs }: Before) {
  const { unreachable = [], links = [], stack } = inputs;
  return {
    ...{ notMirrored, gateways, portConflicts, stack },
    // Of a state that an earlier version has left, this is a map of sentences.
    unreachable: Object.values(unreachable),
    // State has to know each link, so that what it has brought can be taken away.
    targets: links.map(({ target }) => target).sort(),
  };
}

/**
 * Whether a cluster is reached another way than last time. Without a run, state would go on with
 * the old way, and a context that has been renamed could not even be destroyed any more.
 */
function accessDiffers({ clusters = {} }: Before, args: Pick<MirrorsArgs, "clusters">): boolean {
  return Object.entries(args.clusters).some(
    ([name, entry]) => clusters[name] !== undefined && !isDeepStrictEqual(clusters[name], entry),
  );
}
