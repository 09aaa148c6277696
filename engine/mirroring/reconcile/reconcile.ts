import { type CheckedPlan, inputsFor } from "../report/inputs.ts";
import { snapshotIn } from "../model/observation.ts";
import { mistakesIn, trusted } from "./mistakes.ts";
import {
  type Observed,
  observeControllers,
  observeLinks,
  observeOtherWriters,
  readClusters,
} from "../observe/readings.ts";
import { besideOthers, contested } from "../report/other-writers.ts";
import type { Outcome } from "../report/outcome.ts";
import type { Controllers } from "../model/controller.ts";
import { mayHaveOthers } from "../decide/policies/other-stacks.ts";
import { dispositionsOf, linksLeft } from "../decide/policies/removed-links.ts";
import { observationNotes } from "../report/notes.ts";
import { statusesOf } from "../report/status.ts";
import { decide } from "../decide/decide.ts";
import { type Before, type MirrorsArgs, stacksNow, withoutRenewed } from "../model/state.ts";

/**
 * Observes the clusters, and plans. Writes nothing.
 *
 * @param before the inputs of the run before, or in an update the checked ones of its own run
 */
export async function reconcile(
  clusters: Observed,
  args: MirrorsArgs,
  before: Before,
  now: Date,
): Promise<Outcome> {
  const first = trusted(await readClusters(clusters, args), args, before);
  const source = snapshotIn(first, args.source);
  const { links, readings } =
    source === undefined
      ? { links: [], readings: first }
      : await observeLinks(clusters, args, first, source);
  const mistakes = mistakesIn(args, readings);
  if (mistakes.length > 0) return { outcome: "invalid", mistakes, readings };
  if (source === undefined) return { outcome: "sourceUnreadable", readings };
  const left = linksLeft(source, args, before);
  const stacks = stacksNow(before, args);
  const asksForControllers = left.length > 0 || mayHaveOthers(source, stacks);
  const controllers: Controllers = asksForControllers
    ? await observeControllers(clusters, args)
    : { found: [] };
  const removed = dispositionsOf(left, args, controllers);
  const known = { args, source, links, removed, now, stacks, controllers };
  const decided = decide(known);
  const statuses = statusesOf(known, decided);
  const asked = contested(decided, statuses);
  const others = await observeOtherWriters(clusters, args, asked);
  const beside = besideOthers(args, statuses, asked, others);
  const notes = [...observationNotes(known, decided), ...beside.notes];
  return { outcome: "planned", readings, ...known, decided, report: { ...beside, notes } };
}

/** What there is to do about one source, and what came of reading its clusters. */
export interface CheckedSource {
  readonly outcome: Outcome;
  readonly checked: CheckedPlan;
}

/** Reads the clusters and decides, as a preview does: all that says whether there is a reason to run. */
export async function checkSource(
  clusters: Observed,
  before: Before,
  args: MirrorsArgs,
  now: Date,
): Promise<CheckedSource> {
  const known = withoutRenewed(before);
  const outcome = await reconcile(clusters, args, known, now);
  return { outcome, checked: inputsFor(known, args, outcome) };
}
