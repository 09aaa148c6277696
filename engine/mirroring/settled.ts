import { readFileSync } from "node:fs";
import { losses } from "../model/decision.ts";
import { entryOf, type MirrorsArgs } from "../model/state.ts";
import type { Clusters } from "../reading/clusters.ts";
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
 * Decides, and again, from new readings, until it takes away only what has settled or what the reading before lacked as
 * well.
 *
 * @param known losses of an earlier decision of this run
 */
export async function whenSettled<T extends { readonly outcome: Outcome }>(
  clusters: Clusters,
  args: MirrorsArgs,
  decide: () => Promise<T>,
  known: readonly string[] = [],
  settled = settledLosses(),
): Promise<T> {
  const own = [...(settled?.[args.source] ?? []), ...known];
  let allowed = new Set(own);
  for (let reading = 1; ; reading += 1) {
    const decided = await decide();
    const lost = lossesOf(decided.outcome);
    const isSettled = settled === undefined || lost.every((loss) => allowed.has(loss));
    if (isSettled || reading === mostReadings) return decided;
    allowed = new Set([...own, ...lost]);
    await clusters.time.sleep(settlingTime);
    for (const name of decided.outcome.readings.keys())
      void clusters.refetch(name, entryOf(args, name)).catch(() => undefined);
  }
}
