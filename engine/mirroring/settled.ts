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

/** Includes what a guard refuses, which it would not refuse if the exports were only away for a moment. */
export function lossesOf(outcome: Outcome): readonly string[] {
  if (outcome.outcome !== "planned") return [];
  const { decisions, failover, refusals } = outcome.decided;
  const routes = failover.routes.filter(
    ({ verdict }) => verdict === "delete" || verdict === "update",
  );
  return [
    ...losses(decisions),
    ...routes.map(({ key }) => `HTTPRoute ${key}`),
    ...Object.entries(refusals).map(([part, why]) => `refused ${part}: ${why}`),
  ];
}

/** Somebody who deletes exports all the time must not keep a run from ending. */
const mostReadings = 5;

/**
 * Decides as `checkSource`, and again, from new readings, until it takes away only what has settled or what the reading
 * before lacked as well.
 */
export async function checkSettled(
  clusters: Clusters,
  before: Before,
  args: MirrorsArgs,
  now: () => Date,
  settled = settledLosses(),
): Promise<CheckedSource> {
  const own = settled?.[args.source] ?? [];
  let known = new Set(own);
  for (let reading = 1; ; reading += 1) {
    const checked = await checkSource(clusters, before, args, now());
    const lost = lossesOf(checked.outcome);
    const isSettled = settled === undefined || lost.every((loss) => known.has(loss));
    if (isSettled || reading === mostReadings) return checked;
    known = new Set([...own, ...lost]);
    await clusters.time.sleep(settlingTime);
    for (const name of checked.outcome.readings.keys())
      void clusters.refetch(name, entryOf(args, name)).catch(() => undefined);
  }
}
