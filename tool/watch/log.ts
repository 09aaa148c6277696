import { inSeconds, plain } from "@linkerd-multicluster/engine/kubernetes";
import type { ByEvent, SourceStatus, State, WatchEvent } from "./events.ts";

/** One line for a person; undefined for an event that another one or metrics tell as well. */
export function sentenceOf(event: WatchEvent): string | undefined {
  const line = (lines[event.event] as (event: WatchEvent) => string | undefined)(event);
  // What a cluster is called and says comes from outside, and a terminal obeys control characters.
  return line === undefined ? undefined : plain(line);
}

const lines: ByEvent<string | undefined> = {
  clusterAdded: () => undefined,
  clusterRemoved: () => undefined,
  expiries: () => undefined,
  watching: ({ cluster, kind }) => `${cluster}: watching ${kind}`,
  watchLost: ({ cluster, kind, why }) => `${cluster}: not watching ${kind}: ${why}; trying again`,
  triggered: ({ reason, cluster, about }) =>
    ({
      event: `${cluster}: ${about} changed`,
      // The line that the watch has begun says it already.
      listed: undefined,
      hostname: `${about} leads to another address`,
    })[reason],
  dryRun: ({ milliseconds, sources }) =>
    `dry run took ${inSeconds(milliseconds)}: ${sources.map(sourceLine).join("; ") || "the state has no mirrors yet"}`,
  runBegan: ({ command }) => `pulumi ${command} began`,
  runEnded: ({ command, result, milliseconds, changes }) => {
    const resources = `${changes} resource${changes === 1 ? "" : "s"}`;
    const change = command === "preview" ? "to change" : "changed";
    return `pulumi ${command} ${result} after ${inSeconds(milliseconds)}, ${resources} ${change}`;
  },
  converged: ({ milliseconds }) =>
    `everything is done ${inSeconds(milliseconds)} after the first change`,
  state: ({ state, why, retryIn }) => {
    const again = retryIn === undefined ? "" : ` (again in ${inSeconds(retryIn)} at the latest)`;
    return [stateWords[state], why.join("; ")].filter(Boolean).join(": ") + again;
  },
  lockCleared: ({ lock }) =>
    `cleared the lock that an earlier run of this watch has left (${lock})`,
};

const stateWords: Readonly<Record<State, string>> = {
  starting: "starting",
  settled: "everything is in order",
  running: "running",
  refused: "blocked by a safety check",
  failing: "the last run failed",
  locked: "the stack is locked",
};

function sourceLine({ source, status, parts, unreachable }: SourceStatus): string {
  const counts = Object.entries(parts).map(
    ([part, { mirrors, notMirrored }]) =>
      `${part} ${mirrors}${notMirrored === 0 ? "" : ` and ${notMirrored} not mirrored`}`,
  );
  const words = { inSync: "in sync", changed: "to be changed", refused: "refused" }[status];
  const unread = Object.keys(unreachable);
  const missing = unread.length === 0 ? "" : `, without ${unread.join(", ")}`;
  return `${source} (${counts.join(", ") || "no mirrors"}) ${words}${missing}`;
}
