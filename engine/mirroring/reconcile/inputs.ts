import type { ObjectKey } from "../../kubernetes/objects.ts";
import { federatedPart } from "../model/owner.ts";
import { differs } from "./news.ts";
import { awaitedText, historyOf, pendingChanges } from "./pending-changes.ts";
import type { Outcome, PlannedOutcome } from "./reconcile.ts";
import type { RemovedPart } from "./removed-links.ts";
import type { Reconciliation } from "./source-plan.ts";
import {
  type Before,
  type Inputs,
  type MirrorLines,
  type MirrorsArgs,
  mirrorsBefore,
  nonEmpty,
  type Planned,
  stacksNow,
} from "./state.ts";
import { summaries } from "./summary.ts";
import { notesOf, skippedByPart, type Trouble, troubleIn, unknownFates } from "./trouble.ts";

/** What a preview shows of an outcome, and what there is to say that no diff has a place for. */
export interface Checked {
  readonly inputs: Inputs;
  /** What the user has to fix; then nothing may be done. */
  readonly mistakes: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Turns what was found into inputs, where a preview shows it: maps by part, so that it reads link by
 * link. Pure, but for the clock.
 */
export function inputsFor(
  before: Before,
  args: MirrorsArgs,
  outcome: Outcome,
  now: () => Date = () => new Date(),
): Checked {
  if (outcome.outcome === "mistaken") return mistaken(args, outcome.mistakes);
  const trouble = troubleIn(outcome.readings, before, now);
  if (outcome.outcome === "blind") return keepAll(before, args, outcome, trouble);
  const { reconciliation, removed } = outcome;
  const refusals = [...reconciliation.parts.values()].flatMap(({ refusal }) => refusal ?? []);
  if (refusals.length > 0) return mistaken(args, refusals);

  const refused = { ...trouble.refused, ...unknownFates(args.source, removed) };
  const facts = factsOf(before, args, outcome);
  const skips = skippedByPart(before, args, reconciliation.parts, trouble);
  const planned = {
    ...facts,
    ...nonEmpty("notMirrored", skips),
    ...nonEmpty("unreachable", trouble.unreachable),
    ...nonEmpty("refused", refused),
  };
  const pending = pendingChanges(before, args, outcome);
  const isNews =
    Object.keys(pending).length > 0 ||
    [...reconciliation.parts.values()].some(
      ({ changes, namespaces }) => changes.length + namespaces.length > 0,
    ) ||
    reconciliation.released.length > 0 ||
    Object.keys(refused).length > 0 ||
    before.revision === undefined ||
    differs(before, { ...args, ...planned });
  const changes = isNews ? historyOf(before, pending) : {};
  return {
    inputs: {
      ...args,
      ...planned,
      mirrors: mirrorsByPart(before, args, outcome),
      ...nonEmpty("changes", changes),
      revision: isNews ? next(before) : (before.revision ?? 1),
    },
    mistakes: [],
    notes: [...summaries(before, args, outcome), ...notesOf(args, outcome, trouble)],
  };
}

function mistaken(args: MirrorsArgs, mistakes: readonly string[]): Checked {
  return { inputs: { ...args, mirrors: {}, revision: 0 }, mistakes, notes: [] };
}

/** The source says nothing, so nothing about it may be concluded. */
function keepAll(
  before: Before,
  args: MirrorsArgs,
  { removed }: Extract<Outcome, { readonly outcome: "blind" }>,
  trouble: Trouble,
): Checked {
  const { identities, gateways, portConflicts, notMirrored, changes, missedPods } = before;
  const inputs = {
    ...args,
    ...defined({ identities, gateways, portConflicts, notMirrored, changes, missedPods }),
    ...formerStacks(before, args),
    mirrors: typeof before.mirrors === "object" ? before.mirrors : {},
    ...(removed.length > 0 && { removedLinks: removed }),
    ...nonEmpty("unreachable", trouble.unreachable),
    ...nonEmpty("refused", trouble.refused),
  };
  const isNews =
    before.revision === undefined ||
    Object.keys(trouble.refused).length > 0 ||
    differs(before, inputs);
  const { source } = args;
  const outage = trouble.unreachable[source];
  const why =
    outage === undefined ? trouble.refused[source] : `since ${outage.since} ${outage.why}`;
  return {
    inputs: { ...inputs, revision: isNews ? next(before) : (before.revision ?? 1) },
    mistakes: [],
    notes: [`${source}: its mirrors stay as they are, because ${why ?? "it can't be read"}`],
  };
}

function factsOf(before: Before, args: MirrorsArgs, outcome: PlannedOutcome) {
  const { reconciliation, readings, removed } = outcome;
  const identities = Object.fromEntries(
    [...readings].flatMap(([name, reading]) => {
      const uid =
        reading.outcome === "read" ? reading.snapshot.identity : before.identities?.[name];
      return uid === undefined ? [] : [[name, uid] as const];
    }),
  );
  // What was known of a gateway is still the best that is known while its cluster does not answer.
  const kept = Object.entries(before.gateways ?? {}).filter(
    ([name]) =>
      args.links.some(({ target }) => target === name) && readings.get(name)?.outcome !== "read",
  );
  const staying = removed.filter(({ fate }) => fate !== "stays").map(({ link }) => link);
  return {
    identities,
    ...reconciliation.facts,
    ...nonEmpty("gateways", { ...Object.fromEntries(kept), ...reconciliation.facts.gateways }),
    ...(staying.length > 0 && { removedLinks: staying }),
    ...formerStacks(before, args),
    ...nonEmpty("missedPods", missedPods(before, reconciliation)),
  };
}

/** A stack that has been renamed goes on knowing its marks by the old name. */
function formerStacks(before: Before, args: MirrorsArgs): Pick<Planned, "formerStacks"> {
  const former = stacksNow(before, args).filter((name) => name !== args.stack);
  return former.length === 0 ? {} : { formerStacks: former };
}

function missedPods(
  { missedPods = {} }: Before,
  { missed, parts }: Reconciliation,
): Record<ObjectKey, "kept" | "gone"> {
  const deleted = new Set(
    [...parts.values()].flatMap(({ changes }) =>
      changes.flatMap(({ action, key }) => (action === "delete" ? [key] : [])),
    ),
  );
  const gone = Object.keys(missedPods).filter((key) => deleted.has(key as ObjectKey));
  return Object.fromEntries([
    ...missed.map((key) => [key, "kept"] as const),
    ...gone.map((key) => [key, "gone"] as const),
  ]);
}

function mirrorsByPart(
  before: Before,
  args: MirrorsArgs,
  { reconciliation: { parts }, removed }: PlannedOutcome,
): Planned["mirrors"] {
  const entries: [string, MirrorLines | string][] = [];
  for (const part of partsOf(args, removed)) {
    const plan = parts.get(part);
    const lines = plan?.mirrors ?? mirrorsBefore(before, part);
    const awaited = plan === undefined ? undefined : awaitedText(args, part, plan);
    if (awaited !== undefined) entries.push([part, awaited]);
    else if (Object.keys(lines).length > 0) entries.push([part, lines]);
  }
  return Object.fromEntries(entries);
}

/** The parts that the source's mirrors have, those that could not be planned included. */
function partsOf({ links }: MirrorsArgs, removed: readonly RemovedPart[]): string[] {
  const staying = removed.filter(({ fate }) => fate !== "stays");
  return [
    ...links.map(({ target }) => target),
    ...staying.map(({ link }) => link.target),
    federatedPart,
  ];
}

function next({ revision = 0 }: Before): number {
  return revision + 1;
}

/** Without the fields that are undefined, which inputs must not have. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
