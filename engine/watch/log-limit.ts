import type { Time } from "../kubernetes/retry.ts";
import type { Observer } from "./events.ts";

/** How much is told of one cluster in so many milliseconds. */
const most = 60;
const span = 60_000;

/** Passes on what is told, but no more than that of each cluster: one that never stops changing would fill a disk. */
export function limited(observe: Observer, time: Pick<Time, "now">): Observer {
  const told = new Map<string, { readonly since: number; readonly times: number }>();
  return (event) => {
    if (event.event !== "triggered" && event.event !== "watching" && event.event !== "watchLost") {
      observe(event);
      return;
    }
    const { cluster } = event;
    const now = time.now();
    const last = told.get(cluster);
    const isNew = last === undefined || now - last.since >= span;
    const { since, times } = isNew ? { since: now, times: 0 } : last;
    told.set(cluster, { since, times: times + 1 });
    if (times < most) observe(event);
    else if (times === most) observe({ event: "muted", cluster, milliseconds: since + span - now });
  };
}
