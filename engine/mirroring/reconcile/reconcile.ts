import { type CheckedPlan, inputsFor } from "../report/inputs.ts";
import { snapshotIn } from "../model/observation.ts";
import { mistakesIn, trusted } from "./mistakes.ts";
import {
  type Observed,
  observeControllers,
  observeLinks,
  readClusters,
} from "../observe/readings.ts";
import { besideOthers } from "./other-writers.ts";
import type { Outcome } from "../report/outcome.ts";
import {
  dispositionOf,
  hasLeft,
  removedLinks,
  unnotedLinks,
} from "../decide/policies/removed-links.ts";
import { observationNotes } from "../report/notes.ts";
import { statusesOf } from "../report/status.ts";
import { decide } from "../decide/decide.ts";
import { type Before, type MirrorsArgs, stacksNow } from "../model/state.ts";

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
      : await observeLinks(clusters, args, before, first, source);
  const mistakes = mistakesIn(args, before, readings);
  if (mistakes.length > 0) return { outcome: "invalid", mistakes };
  const former = removedLinks(args, before);
  if (source === undefined) return { outcome: "sourceUnreadable", readings, removed: former };
  const stacks = stacksNow(before, args);
  const noted = new Set(former.map(({ target }) => target));
  const leftOver = [
    ...former.filter(({ target }) => hasLeft(source, target, stacks)),
    ...unnotedLinks(args, source, stacks).filter(({ target }) => !noted.has(target)),
  ];
  const controllers =
    leftOver.length === 0 ? { found: [] } : await observeControllers(clusters, args);
  const removed = leftOver
    .map((link) => dispositionOf(link, args, before, source, controllers))
    // What nobody has noted stays, without a word, where it is another's by now or may be.
    .filter(({ disposition, link }) => disposition === "delete" || noted.has(link.target));
  const { missing = {} } = before;
  const observation = { args, source, links, removed, missing, now, stacks };
  const decided = decide(observation);
  const said = {
    notes: observationNotes(observation, decided),
    statuses: statusesOf(observation, decided),
  };
  return {
    ...{ outcome: "planned", source, readings, links, removed },
    decided,
    report: await besideOthers(clusters, args, decided, said),
  };
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
  const outcome = await reconcile(clusters, args, before, now);
  return { outcome, checked: inputsFor(before, args, outcome) };
}
