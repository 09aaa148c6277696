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

/** The findings of a watch just before a run. */
export interface Found {
  /** The watch acts at once, and these have settled. */
  readonly losses: Losses;
  /** Says of clusters that don't answer why. Each has a watch that starts another run once it does. */
  readonly away: Readonly<Record<string, string>>;
}

/** Without a watch's findings, a run looks at everything. */
export const nothingFound: Found = { losses: {}, away: {} };

/** Names a file with what the watch has found. */
export const foundVariable = "LINKERD_MULTICLUSTER_FOUND";

/** Returns undefined in a run that no watch has started. It takes what it finds. */
export function foundByWatch(file = process.env[foundVariable]): Found | undefined {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Found;
  } catch {
    return nothingFound;
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
  settled = foundByWatch()?.losses,
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
