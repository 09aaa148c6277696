import { isDeepStrictEqual } from "node:util";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { removedLinks } from "../decide/policies/removed-links.ts";
import { isSent } from "../../model/decision.ts";
import { undrained } from "../../model/drain.ts";
import { isPending } from "../../model/verdicts.ts";
import type { ClusterReadings } from "../../model/observation.ts";
import {
  type Before,
  type ByPart,
  type ChangeTexts,
  type Inputs,
  type MirrorsArgs,
  nonEmpty,
} from "../../model/state.ts";
import { formerStacks, memoryOf } from "./memory.ts";
import { notesOf, stayingNotes, summaries } from "./notes.ts";
import type { Outcome } from "./outcome.ts";
import { mostFields, type PartReport } from "./part.ts";
import { partsOf } from "./parts.ts";

export interface CheckedPlan {
  readonly inputs: Inputs;
  /** Nothing may be done until the user has fixed these. */
  readonly mistakes: readonly string[];
  /** The notes begin with these lines, one per part with changes. */
  readonly summaries: readonly string[];
  readonly notes: readonly string[];
  readonly hasWrites: boolean;
}

const nothing = { mistakes: [], summaries: [], notes: [], hasWrites: false };

/** Inputs don't depend on the time, so that a saved plan stays valid. Pure. */
export function inputsFor(before: Before, args: MirrorsArgs, outcome: Outcome): CheckedPlan {
  if (outcome.outcome === "invalid") {
    const inputs = { ...args, mirrors: {}, revision: 0 };
    return { ...nothing, inputs, mistakes: outcome.mistakes };
  }
  if (outcome.outcome === "sourceUnreadable") return keepAll(before, args, outcome.readings);
  const { decided, readings, report } = outcome;
  const unread = unreadClusters(readings);
  const { unreachable } = unread;
  const refused = { ...unread.refused, ...decided.refusals };
  const parts = partsOf(before, outcome);
  const planned = {
    ...memoryOf(before, args, outcome),
    ...nonEmpty("missing", decided.missing),
    ...nonEmpty("portConflicts", decided.portConflicts),
    ...nonEmpty("notMirrored", byPart(parts, "notMirrored")),
    ...nonEmpty("unreachable", Object.keys(unreachable).sort()),
    ...nonEmpty("refused", refused),
  };
  const pending = byPart(parts, "changes");
  const mirrors = byPart(parts, "mirrors");
  const hasWrites =
    decided.decisions.some(isSent) ||
    decided.failover.routes.some(isPending) ||
    report.statuses.some(({ isDue }) => isDue);
  const needsUpdate =
    Object.keys(pending).length > 0 ||
    hasWrites ||
    Object.keys(refused).length > 0 ||
    reportChanged(before, { ...args, ...planned });
  const lines = summaries(args.source, parts);
  return {
    inputs: {
      ...args,
      ...planned,
      mirrors,
      ...nonEmpty("changes", needsUpdate ? historyOf(before, pending, mirrors) : {}),
      ...revisionAfter(before, needsUpdate),
    },
    mistakes: [],
    hasWrites,
    summaries: lines,
    notes: [
      ...lines,
      ...stayingNotes(before, outcome),
      ...notesOf(outcome, { ...refused, ...unreachable }, parts),
    ],
  };
}

function byPart<K extends "mirrors" | "changes" | "notMirrored">(
  parts: readonly PartReport[],
  field: K,
): ByPart<PartReport[K]> {
  const all = parts.map((report) => [report.part, report[field]] as const);
  return Object.fromEntries(all.filter(([, found]) => Object.keys(found).length > 0));
}

/** Somebody has to fix refused clusters; unreachable ones may recover. */
function unreadClusters(readings: ClusterReadings) {
  const refused: Record<string, string> = {};
  const unreachable: Record<string, string> = {};
  for (const [name, reading] of readings) {
    if ("value" in reading) continue;
    if (reading.cause === "refused") refused[name] = reading.why;
    if (reading.cause === "unreachable") unreachable[name] = reading.why;
  }
  return { refused, unreachable };
}

/** The source couldn't be read, so nothing may be concluded about it. */
function keepAll(before: Before, args: MirrorsArgs, readings: ClusterReadings): CheckedPlan {
  const { identities, gateways, portConflicts, notMirrored, changes, failedOver } = before;
  const { statefulSets, rivals } = before;
  const unread = unreadClusters(readings);
  const { unreachable } = unread;
  const { source } = args;
  const late = undrained(source, args.drained, before.drained);
  const refused = { ...unread.refused, ...(late !== undefined && { [source]: late }) };
  const removed = removedLinks(args, before);
  const inputs = {
    ...args,
    ...omitUndefined({ identities, gateways, portConflicts, notMirrored, changes, failedOver }),
    ...omitUndefined({ statefulSets, rivals }),
    ...formerStacks(before, args),
    mirrors: typeof before.mirrors === "object" ? before.mirrors : {},
    ...(removed.length > 0 && { removedLinks: removed }),
    ...nonEmpty("unreachable", Object.keys(unreachable).sort()),
    ...nonEmpty("refused", refused),
  };
  const needsUpdate = Object.keys(refused).length > 0 || reportChanged(before, inputs);
  const why = unreachable[source] ?? unread.refused[source] ?? "it can't be read";
  return {
    ...nothing,
    inputs: { ...inputs, ...revisionAfter(before, needsUpdate) },
    notes: [
      `${source}: its mirrors stay as they are, because ${why}`,
      ...(late === undefined ? [] : [`${source}: ${late}`]),
    ],
  };
}

/**
 * Pulumi shows how inputs differ from the last run's. So lines of that run stay in, where they show no difference,
 * until a run finds everything in order. A line that appears again is marked as such.
 */
export function withHistory(before: ChangeTexts = {}, pending: ChangeTexts = {}): ChangeTexts {
  const updated = Object.entries(pending).map(([key, changes]) => {
    const earlier = before[key] ?? {};
    const lines = Object.entries(changes).map(
      ([field, text]) => [field, earlier[field] === text ? `${text} (again)` : text] as const,
    );
    const texts = { ...earlier, ...Object.fromEntries(lines) };
    // Otherwise state would grow with each field that a target changes.
    const isLong = Object.keys(texts).length > mostFields;
    return [key, isLong ? Object.fromEntries(lines) : texts] as const;
  });
  return { ...before, ...Object.fromEntries(updated) };
}

/** @param mirrors those that exist after this run; texts about others are dropped */
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
        // Texts about namespaces and Links, which aren't mirrors, have a space in their keys.
        ([key]) =>
          key.includes(" ") || typeof lines === "string" || Object.hasOwn(lines ?? {}, key),
      );
      const texts = withHistory(Object.fromEntries(earlier), pending[part]);
      return Object.keys(texts).length === 0 ? [] : [[part, texts] as const];
    }),
  );
}

/**
 * Says that there is something to do in inputs alone. Outputs of a run that failed have the revision that the next run
 * gets too, because the engine keeps the inputs of the run before, and forgets the failure with the next refresh.
 */
export function revisionAfter({ revision }: Before, needsUpdate = true) {
  if (revision !== undefined && !needsUpdate) return { revision };
  return { due: true, revision: (revision ?? 0) + 1 } as const;
}

function reportChanged(before: Before, now: Omit<Inputs, "mirrors" | "revision">): boolean {
  return (
    !isDeepStrictEqual(reportedFields(before), reportedFields(now)) || accessDiffers(before, now)
  );
}

function reportedFields({
  notMirrored = {},
  gateways = {},
  portConflicts = {},
  ...inputs
}: Before) {
  const { unreachable = [], links = [], stack } = inputs;
  return {
    notMirrored,
    gateways,
    portConflicts,
    stack,
    // In state of an earlier version, this is a map of sentences.
    unreachable: Object.values(unreachable),
    // State has to contain each link, so that its mirrors can be deleted later.
    targets: links.map(({ target }) => target).sort(),
  };
}

/** Without an update, state would keep the old access; after a renamed context, not even a destroy would work. */
function accessDiffers({ clusters = {} }: Before, args: Pick<MirrorsArgs, "clusters">): boolean {
  return Object.entries(args.clusters).some(
    ([name, entry]) => clusters[name] !== undefined && !isDeepStrictEqual(clusters[name], entry),
  );
}
