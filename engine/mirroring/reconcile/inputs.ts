import { isDeepStrictEqual } from "node:util";
import type { ObjectKey } from "../../kubernetes/objects.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Plan, SourcePlan } from "../plan/change.ts";
import { statusUpdate } from "../plan/status.ts";
import { count } from "../plan/text.ts";
import { federatedPart } from "../model/owner.ts";
import type { ClusterReadings } from "./observation.ts";
import { type ChangeTexts, notMirrored, pendingTexts, skipNotes, withHistory } from "./preview.ts";
import type { Outcome } from "./reconcile.ts";
import type { RemovedPart } from "./removed-links.ts";
import type { Reconciliation } from "./source-plan.ts";
import {
  type Before,
  type ByPart,
  type Inputs,
  type MirrorLines,
  type MirrorsArgs,
  mirrorsBefore,
  type Outage,
  partsBefore,
  type Planned,
  stacksNow,
} from "./state.ts";

/** What a preview shows of an outcome, and what there is to say that no diff has a place for. */
export interface Checked {
  readonly inputs: Inputs;
  /** What the user has to fix; then nothing may be done. */
  readonly mistakes: readonly string[];
  readonly notes: readonly string[];
}

type PlannedOutcome = Extract<Outcome, { readonly outcome: "planned" }>;

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
    notes: notesOf(before, args, outcome, trouble),
  };
}

function mistaken(args: MirrorsArgs, mistakes: readonly string[]): Checked {
  return { inputs: { ...args, mirrors: {}, revision: 0 }, mistakes, notes: [] };
}

interface Trouble {
  readonly unreachable: Readonly<Record<string, Outage>>;
  readonly refused: Readonly<Record<string, string>>;
}

/** A cluster that is still out of reach keeps the time and the sentence of the first run that saw it. */
function troubleIn(
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

function unknownFates(source: string, removed: readonly RemovedPart[]): Record<string, string> {
  const whys = removed.flatMap((part) =>
    part.fate === "unknown"
      ? [
          `the mirrors of the removed link ${source}/${part.link.target} stay, because it is not known whether a controller of Linkerd's mirrors it now: ${part.why}`,
        ]
      : [],
  );
  return whys.length === 0 ? {} : { [source]: whys.join("; ") };
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

/** What stands for a part of which nothing can be said before its gateway has been made. */
function awaitedText({ observedGateways }: MirrorsArgs, part: string, plan: Plan) {
  const awaited = observedGateways?.[part];
  return typeof awaited === "string" && !bringsOnly(plan) ? awaited : undefined;
}

/** Of a gateway that is yet to be made only this can be foretold: what there will be that is new. */
function bringsOnly({ changes, mirrors }: Plan): boolean {
  return (
    changes.length >= Object.keys(mirrors).length &&
    changes.every(({ action }) => action === "create")
  );
}

function pendingChanges(
  before: Before,
  args: MirrorsArgs,
  { reconciliation, removed, source }: PlannedOutcome,
): ByPart<ChangeTexts> {
  const { parts, unconfirmed } = reconciliation;
  const pending = new Map<string, ChangeTexts>();
  for (const [part, plan] of parts) {
    if (awaitedText(args, part, plan) !== undefined) continue;
    const confirmed = (unconfirmed[part] ?? []).map(
      (key) => [key, { action: "confirm: another stack made it" }] as const,
    );
    pending.set(part, {
      ...pendingTexts(plan, mirrorsBefore(before, part)),
      ...Object.fromEntries(confirmed),
    });
  }
  for (const each of removed) {
    if (each.fate !== "stays") continue;
    const { target } = each.link;
    const lines = Object.keys(mirrorsBefore(before, target));
    const text = { action: `leave: ${each.controller} mirrors it now` };
    pending.set(target, Object.fromEntries(lines.map((key) => [key, text] as const)));
  }
  for (const [part, texts] of statusTexts(source, reconciliation, args)) {
    pending.set(part, { ...pending.get(part), ...texts });
  }
  return Object.fromEntries([...pending].filter(([, texts]) => Object.keys(texts).length > 0));
}

/** By part: what the status of its Link is going to say, where it does not say so already. */
function statusTexts(
  { links }: ClusterSnapshot,
  { statuses }: Reconciliation,
  { statusIn }: MirrorsArgs,
): (readonly [string, ChangeTexts])[] {
  return statuses.flatMap((status) => {
    const live = links?.get(status.link);
    // Without the Link resource there is no status to keep.
    if (live === undefined || statusIn === undefined) return [];
    if (statusUpdate(status, live, new Map(), new Date()) === undefined) return [];
    const mirrored = status.entries.filter(({ problem }) => problem === undefined).length;
    const text = `${count(mirrored, "Service")} mirrored, ${status.entries.length - mirrored} not`;
    const part = status.list === "federatedServices" ? federatedPart : live.metadata.name;
    return [[part, { [`Link ${status.link}`]: { [`status.${status.list}`]: text } }] as const];
  });
}

function historyOf(before: Before, pending: ByPart<ChangeTexts>): ByPart<ChangeTexts> {
  const parts = new Set([...Object.keys(before.changes ?? {}), ...Object.keys(pending)]);
  return Object.fromEntries(
    [...parts].sort().flatMap((part) => {
      const texts = withHistory(before.changes?.[part], pending[part]);
      return Object.keys(texts).length === 0 ? [] : [[part, texts] as const];
    }),
  );
}

function skippedByPart(
  before: Before,
  { links }: MirrorsArgs,
  parts: SourcePlan,
  { unreachable, refused }: Trouble,
): ByPart<Readonly<Record<string, string>>> {
  const kept = links.flatMap(({ target }) => {
    const old = before.notMirrored?.[target];
    const isAway = unreachable[target] !== undefined || refused[target] !== undefined;
    return isAway && old !== undefined ? [[target, old] as const] : [];
  });
  const found = [...parts].map(([part, { skips }]) => [part, notMirrored(skips)] as const);
  return Object.fromEntries(
    [...kept, ...found].filter(([, lines]) => Object.keys(lines).length > 0),
  );
}

function notesOf(
  before: Before,
  args: MirrorsArgs,
  { reconciliation, removed }: PlannedOutcome,
  { unreachable, refused }: Trouble,
): string[] {
  const about = (part: string) =>
    part === federatedPart ? `${args.source}: ` : `${args.source} <- ${part}: `;
  const away = args.links.flatMap(({ target }) => {
    const outage = unreachable[target];
    const why = outage === undefined ? refused[target] : `since ${outage.since} ${outage.why}`;
    return why === undefined
      ? []
      : [`${about(target)}its mirrors stay as they are, because ${why}`];
  });
  const fates = removed.flatMap((part) => {
    const { target } = part.link;
    if (part.fate === "stays")
      return [`${about(target)}its mirrors stay, because ${part.controller} mirrors it now`];
    return part.fate === "unknown"
      ? [`${about(target)}its mirrors stay for now, because ${part.why}`]
      : [];
  });
  const missing = reconciliation.missed
    .filter((key) => before.missedPods?.[key] === undefined)
    .map(
      (key) =>
        `${args.source}: the pod of ${key} is away and has no StatefulSet: its mirror goes if the next run misses it too`,
    );
  return [
    ...away,
    ...fates,
    ...reconciliation.notes.map(([part, sentence]) => about(part) + sentence),
    ...missing,
    ...[...reconciliation.parts].flatMap(([part, { skips }]) =>
      skipNotes(skips).map((sentence) => about(part) + sentence),
    ),
  ];
}

/** Whether there is anything new to tell or to remember, beside the mirrors themselves. */
function differs(before: Before, now: Omit<Inputs, "mirrors" | "revision">): boolean {
  return (
    !isDeepStrictEqual(before.notMirrored ?? {}, now.notMirrored ?? {}) ||
    !isDeepStrictEqual(before.gateways ?? {}, now.gateways ?? {}) ||
    !isDeepStrictEqual(before.portConflicts ?? {}, now.portConflicts ?? {}) ||
    !isDeepStrictEqual(awayIn(before), awayIn(now)) ||
    !isDeepStrictEqual(before.removedLinks ?? [], now.removedLinks ?? []) ||
    before.stack !== now.stack ||
    // State has to know each link, so that what it has brought can be taken away.
    !isDeepStrictEqual(targetsOf(before), targetsOf(now)) ||
    accessDiffers(before, now)
  );
}

/** Sorted: a map comes back from state in an order of its own. */
function awayIn({ unreachable = {} }: Pick<Before, "unreachable">): string[] {
  return Object.keys(unreachable).sort();
}

function targetsOf({ links = [] }: Before): string[] {
  return links.map(({ target }) => target).sort();
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

function next({ revision = 0 }: Before): number {
  return revision + 1;
}

function nonEmpty<K extends string, V extends object>(key: K, value: V): Partial<Record<K, V>> {
  const entry: Partial<Record<K, V>> = {};
  if (Object.keys(value).length > 0) entry[key] = value;
  return entry;
}

/** Without the fields that are undefined, which inputs must not have. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** The parts that this resource has or had: what a preview may have to show as going. */
export function knownParts(before: Before, args: MirrorsArgs): string[] {
  return [...new Set([...partsBefore(before), ...args.links.map(({ target }) => target)])];
}
