import type { LabelSelector } from "../engine/mirroring/model/link.ts";

/** A selector without a single term, which selects nothing. */
export function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
