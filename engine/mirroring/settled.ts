import { readFileSync } from "node:fs";
import { losses } from "../model/decision.ts";
import { type Before, entryOf, type MirrorsArgs } from "../model/state.ts";
import type { Clusters } from "../reading/clusters.ts";
import { type CheckedSource, checkSource } from "./reconcile.ts";
import type { Outcome } from "./report/outcome.ts";

/** Names by source what a run would take away. */
export type Losses = Readonly<Record<string, readonly string[]>>;

/**
 * `kubectl replace --force`, Helm and Argo CD delete an object and create it again, within this many milliseconds. What is
 * gone for longer counts as gone.
 */
export const settlingTime = 1_000;

/** The watch acts at once, and names a file with the losses that have settled. */
export const settledVariable = "LINKERD_MULTICLUSTER_SETTLED";

/** Returns undefined in a run that no watch has started. It takes what it finds. */
export function settledLosses(file = process.env[settledVariable]): Losses | undefined {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Losses;
  } catch {
    // Everything is looked at again.
    return {};
  }
}

export function lossesOf(outcome: Outcome): readonly string[] {
  return outcome.outcome === "planned" ? losses(outcome.decided.decisions) : [];
}

/** Decides as `checkSource`, and once more, from new readings, if it would take away what has not settled. */
export async function checkSettled(
  clusters: Clusters,
  before: Before,
  args: MirrorsArgs,
  now: () => Date,
  settled = settledLosses(),
): Promise<CheckedSource> {
  const first = await checkSource(clusters, before, args, now());
  const known = new Set(settled?.[args.source]);
  if (settled === undefined || lossesOf(first.outcome).every((loss) => known.has(loss)))
    return first;
  await clusters.time.sleep(settlingTime);
  for (const name of first.outcome.readings.keys())
    void clusters.refetch(name, entryOf(args, name)).catch(() => undefined);
  return checkSource(clusters, before, args, now());
}
