import type { LinkSpec } from "../model/link.ts";
import { count } from "./text.ts";

/** Up to this many mirrors, a share of them says nothing. */
const tooFewToJudge = 10;

/**
 * The sentence that stops a run which would delete suspiciously many of a link's mirrors: a wrong
 * context or an empty answer looks just like everything having been un-exported.
 */
export function tooManyDeletions(
  link: LinkSpec,
  deletions: number,
  live: number,
): string | undefined {
  const most = limit(link.maxDeletions, live);
  if (link.allowDeletions || deletions <= most) return undefined;
  return (
    `link ${link.source}/${link.target} would delete ${String(deletions)} of its ` +
    `${count(live, "mirror")} on ${link.source}, and maxDeletions (${String(link.maxDeletions)}) ` +
    `allows ${String(most)}: if that is meant, set allowDeletions: true on the link for one run; ` +
    `if not, see whether ${link.target} is the cluster you think and its Services are still exported`
  );
}

function limit(most: LinkSpec["maxDeletions"], live: number): number {
  if (typeof most === "number") return most;
  if (live <= tooFewToJudge) return live;
  return Math.floor((live * Number(most.slice(0, -1))) / 100);
}
