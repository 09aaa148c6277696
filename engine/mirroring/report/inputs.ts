import { isDeepStrictEqual } from "node:util";
import { defined } from "../../kubernetes/objects/defined.ts";
import { isChange, isUnmarked } from "../decide/decision.ts";
import { releasedIn } from "../decide/policies/other-stacks.ts";
import {
  type Before,
  gatewayFact,
  type Inputs,
  type Memory,
  type MirrorLines,
  type MirrorsArgs,
  mirrorsBefore,
  nonEmpty,
  type Planned,
  stacksNow,
} from "../model/state.ts";
import { federatedPart } from "../model/owner.ts";
import { endpointMirrorName } from "../model/vocabulary.ts";
import { historyOf, type PartView, pendingChanges, viewsOf } from "./changes.ts";
import { linesOf } from "./describe.ts";
import { linkGateways, notesOf, undecidedLinks } from "./notes.ts";
import { type Outcome, type PlannedOutcome, type Unavailable, unavailableIn } from "./outcome.ts";
import { skippedByPart } from "./skips.ts";

/** An outcome as a preview shows it, with what there is to say that no diff has a place for. */
export interface CheckedPlan {
  readonly inputs: Inputs;
  /** Sentences about what the user has to fix; then nothing may be done. */
  readonly mistakes: readonly string[];
  readonly notes: readonly string[];
  /** Whether a run would write anything to the source. */
  readonly hasWrites: boolean;
}

/**
 * Turns what was found into inputs, where a preview shows it: maps by part, so that it reads link by
 * link. Nothing in them depends on when they are made, so that a saved plan holds. Pure.
 */
export function inputsFor(before: Before, args: MirrorsArgs, outcome: Outcome): CheckedPlan {
  if (outcome.outcome === "invalid")
    return {
      inputs: { ...args, mirrors: {}, revision: 0 },
      ...{ mistakes: outcome.mistakes, notes: [], hasWrites: false },
    };
  const read = unavailableIn(outcome.readings);
  if (outcome.outcome === "sourceUnreadable") return keepAll(before, args, outcome, read);
  const { decided, removed } = outcome;
  const unavailable = { ...read, refused: { ...read.refused, ...decided.refusals } };
  const refused = { ...unavailable.refused, ...undecidedLinks(args.source, removed) };
  const skips = skippedByPart(before, args, decided, unavailable);
  const planned = {
    ...memoryOf(before, args, outcome),
    ...nonEmpty("portConflicts", decided.portConflicts),
    ...nonEmpty("notMirrored", skips),
    ...nonEmpty("unreachable", Object.keys(unavailable.unreachable).sort()),
    ...nonEmpty("refused", refused),
  };
  const views = viewsOf(before, args, outcome);
  const pending = pendingChanges(before, args, outcome, views);
  const hasWrites =
    decided.decisions.some((each) => isChange(each) || isUnmarked(each)) ||
    releasedIn(decided.decisions, stacksNow(before, args)).length > 0 ||
    outcome.report.statuses.some(({ isDue }) => isDue);
  const isNews =
    Object.keys(pending).length > 0 ||
    hasWrites ||
    Object.keys(refused).length > 0 ||
    differs(before, { ...args, ...planned });
  const changes = isNews ? historyOf(before, pending) : {};
  return {
    inputs: {
      ...args,
      ...planned,
      mirrors: mirrorsByPart(before, args, planned, views),
      ...nonEmpty("changes", changes),
      revision: revisionAfter(before, isNews),
    },
    mistakes: [],
    hasWrites,
    notes: notesOf(args, outcome, unavailable, views),
  };
}

/** The source says nothing, so nothing about it may be concluded. */
function keepAll(
  before: Before,
  args: MirrorsArgs,
  { removed }: Extract<Outcome, { readonly outcome: "sourceUnreadable" }>,
  unavailable: Unavailable,
): CheckedPlan {
  const { identities, gateways, portConflicts, notMirrored, changes, missing } = before;
  const inputs = {
    ...args,
    ...defined({ identities, gateways, portConflicts, notMirrored, changes, missing }),
    ...formerStacks(before, args),
    mirrors: typeof before.mirrors === "object" ? before.mirrors : {},
    ...(removed.length > 0 && { removedLinks: removed }),
    ...nonEmpty("unreachable", Object.keys(unavailable.unreachable).sort()),
    ...nonEmpty("refused", unavailable.refused),
  };
  const isNews = Object.keys(unavailable.refused).length > 0 || differs(before, inputs);
  const { source } = args;
  const why = unavailable.unreachable[source] ?? unavailable.refused[source];
  return {
    inputs: { ...inputs, revision: revisionAfter(before, isNews) },
    mistakes: [],
    hasWrites: false,
    notes: [`${source}: its mirrors stay as they are, because ${why ?? "it can't be read"}`],
  };
}

/** Made anew from what the run before knew, so that nothing is remembered that no longer holds. */
function memoryOf(before: Before, args: MirrorsArgs, outcome: PlannedOutcome): Memory {
  const { decided, links, readings, removed } = outcome;
  const known = [...linkGateways(links)].map(
    ([name, gateway]) => [name, gatewayFact(gateway)] as const,
  );
  const identities = Object.fromEntries(
    [...readings].flatMap(([name, reading]) => {
      const uid =
        reading.outcome === "read" ? reading.snapshot.identity : before.identities?.[name];
      return uid === undefined ? [] : [[name, uid] as const];
    }),
  );
  // What was known of a target is still the best that is known while it can't be read.
  const unread = args.links.flatMap(({ target }) =>
    readings.get(target)?.outcome === "read" ? [] : [target],
  );
  const gateways = Object.entries(before.gateways ?? {}).filter(([name]) => unread.includes(name));
  const missing = Object.entries(before.missing ?? {}).filter(([key]) =>
    unread.some((target) => key.endsWith(endpointMirrorName("", target))),
  );
  const staying = removed
    .filter(({ disposition }) => disposition !== "handOver")
    .map(({ link }) => link);
  return {
    identities,
    ...nonEmpty("gateways", Object.fromEntries([...gateways, ...known])),
    ...(staying.length > 0 && { removedLinks: staying }),
    ...formerStacks(before, args),
    ...nonEmpty("missing", { ...Object.fromEntries(missing), ...decided.missing }),
  };
}

/** A stack that has been renamed goes on knowing its marks by the old name. */
function formerStacks(before: Before, args: MirrorsArgs): Pick<Planned, "formerStacks"> {
  const former = stacksNow(before, args).filter((name) => name !== args.stack);
  return former.length === 0 ? {} : { formerStacks: former };
}

/** Of all parts that the source's mirrors have, those that could not be planned included. */
function mirrorsByPart(
  before: Before,
  { links }: MirrorsArgs,
  { removedLinks = [] }: Memory,
  views: ReadonlyMap<string, PartView>,
): Planned["mirrors"] {
  const parts = [...[...links, ...removedLinks].map(({ target }) => target), federatedPart];
  const entries = parts.map((part): [string, MirrorLines | string] => {
    const view = views.get(part);
    if (view === undefined) return [part, mirrorsBefore(before, part)];
    return [part, view.awaited ?? linesOf(view.decisions)];
  });
  return Object.fromEntries(entries.filter(([, lines]) => Object.keys(lines).length > 0));
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
