import { listed } from "../base/message.ts";

/** The clusters that still serve something if others are lost or drained. */
export interface Remains {
  /** With `degraded`, others remain. */
  readonly state: "unavailable" | "degraded";
  readonly remaining: readonly string[];
  /** Clusters among them that have no ready pod now. */
  readonly notReady: readonly string[];
}

/**
 * `linkerd-clusters whatif` and the preview of a drain share this rule.
 *
 * @param readyIn returns undefined if nobody knows
 * @returns undefined if nothing is lost
 */
export function lossOf(
  clusters: readonly string[],
  isLost: (cluster: string) => boolean,
  readyIn: (cluster: string) => number | undefined,
): Remains | undefined {
  const remaining = clusters.filter((cluster) => !isLost(cluster));
  if (remaining.length === clusters.length) return undefined;
  const notReady = remaining.filter((cluster) => readyIn(cluster) === 0);
  const state = remaining.length === notReady.length ? "unavailable" : "degraded";
  return { state, remaining, notReady };
}

/** Returns `degraded, still served by east, north, but no pod is ready in north`; `unavailable, since no pod is ready in east`. */
export function lossText({ state, remaining, notReady }: Remains): string {
  if (state === "unavailable")
    return remaining.length === 0
      ? state
      : `${state}, since no pod is ready in ${listed(notReady)}`;
  const left = `, still served by ${remaining.join(", ")}`;
  const empty = notReady.length === 0 ? "" : `, but no pod is ready in ${listed(notReady)}`;
  return `${state}${left}${empty}`;
}
