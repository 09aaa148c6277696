import type { Bundle } from "./bundle.ts";

/** What one cluster is to be given in this run. */
export interface ClusterPlan {
  readonly bundle: Bundle;
  /** Which issuer: the wanted one, or that of the generation before. */
  readonly issuer: "wanted" | "previous";
}

/**
 * Where the clusters are on the way to the wanted trust, and so what this run does.
 *
 * - `settled`: they are there, or nothing runs yet that could break.
 * - `bundle`: every cluster gets the new anchor beside the old ones.
 * - `reissue`: every cluster gets an issuer under the new anchor.
 * - `drop`: every cluster forgets the old anchors.
 * - `waiting`: the next of these would break traffic now, so everything stays.
 */
export type Stage = "settled" | "bundle" | "reissue" | "drop" | "waiting";

export interface TrustPlan {
  readonly stage: Stage;
  readonly clusters: ReadonlyMap<string, ClusterPlan>;
  /** Sentences for the person at the terminal: what this run does, and what remains to be done. */
  readonly notes: readonly string[];
}

/** A plan, or every reason why there is none: the run must not go on. */
export type Decision = TrustPlan | { readonly refused: readonly string[] };
