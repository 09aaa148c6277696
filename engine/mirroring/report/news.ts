import { isDeepStrictEqual } from "node:util";
import type { Before, Inputs, MirrorsArgs } from "../model/state.ts";

/** Whether there is anything new to tell or to remember, beside the mirrors themselves. */
export function differs(before: Before, now: Omit<Inputs, "mirrors" | "revision">): boolean {
  return (
    !isDeepStrictEqual(before.notMirrored ?? {}, now.notMirrored ?? {}) ||
    !isDeepStrictEqual(before.gateways ?? {}, now.gateways ?? {}) ||
    !isDeepStrictEqual(before.portConflicts ?? {}, now.portConflicts ?? {}) ||
    !isDeepStrictEqual(awayIn(before), awayIn(now)) ||
    before.stack !== now.stack ||
    // State has to know each link, so that what it has brought can be taken away.
    !isDeepStrictEqual(targetsOf(before), targetsOf(now)) ||
    accessDiffers(before, now)
  );
}

/** Of a state that an earlier version has left, this is a map of sentences. */
function awayIn({ unreachable = [] }: Pick<Before, "unreachable">): string[] {
  return Object.values(unreachable);
}

function targetsOf({ links = [] }: Before): string[] {
  return links.map(({ target }) => target).sort();
}

/**
 * Whether a cluster is reached another way than last time. Without a run, state would go on with
 * the old way, and a context that has been renamed could not even be destroyed any more.
 */
function accessDiffers({ clusters = {} }: Before, args: Pick<MirrorsArgs, "clusters">): boolean {
  return Object.entries(args.clusters).some(
    ([name, entry]) => clusters[name] !== undefined && !isDeepStrictEqual(clusters[name], entry),
  );
}
