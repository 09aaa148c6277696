import type { World } from "../observe/clusters.ts";
import { statusUpdate } from "../plan/status.ts";
import { count } from "../plan/text.ts";
import type { Reach } from "./state.ts";
import { accessTo, type Survey } from "./survey.ts";

/** By Link resource: what its status is going to say, where it does not say so already. */
export async function pendingStatuses(
  world: World,
  source: string,
  args: Reach,
  survey: Survey,
): Promise<Record<string, Record<string, string>>> {
  if (survey.outcome !== "planned" || survey.statuses.length === 0) return {};
  const { links } = await world.snapshot(source, accessTo(args, source));
  const pending = survey.statuses.flatMap((status) => {
    const live = links?.get(status.link);
    // Without the Link resource there is no status to keep.
    if (live === undefined || statusUpdate(status, live, new Map(), new Date()) === undefined)
      return [];
    const mirrored = status.entries.filter(({ problem }) => problem === undefined).length;
    const text = `${count(mirrored, "Service")} mirrored, ${String(status.entries.length - mirrored)} not`;
    return [[`Link ${status.link}`, { [`status.${status.list}`]: text }] as const];
  });
  return Object.fromEntries(pending);
}
