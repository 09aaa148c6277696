import type { StackInput } from "./schema.ts";

export interface Pair {
  readonly source: string;
  readonly target: string;
}

/**
 * The links that a topology stands for, in cluster order: for `mesh` each cluster to each other,
 * for a hub the hub to every other cluster and back.
 */
export function pairsOf(topology: StackInput["topology"], clusters: readonly string[]): Pair[] {
  if (topology === undefined || topology === "none") return [];
  const linked = ({ source, target }: Pair): boolean =>
    source !== target &&
    (topology === "mesh" || source === topology.hub || target === topology.hub);
  return clusters
    .flatMap((source) => clusters.map((target) => ({ source, target })))
    .filter(linked);
}
