import { type Checked, inputsFor } from "../report/inputs.ts";
import type { Observed } from "../observe/readings.ts";
import { reconcile } from "./reconcile.ts";
import { type Outcome } from "../report/outcome.ts";
import type { Before, MirrorsArgs } from "../model/state.ts";

/** What there is to do about one source, and what came of looking at its clusters. */
export interface Looked {
  readonly outcome: Outcome;
  readonly checked: Checked;
}

/** Reads the clusters and plans, as a preview does: all that decides whether there is a reason to run. */
export async function look(
  clusters: Observed,
  before: Before,
  args: MirrorsArgs,
  now: Date,
): Promise<Looked> {
  const outcome = await reconcile(clusters, args, before, now);
  return { outcome, checked: inputsFor(before, args, outcome) };
}
