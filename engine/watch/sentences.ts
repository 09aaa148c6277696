import { plain } from "../kubernetes/plain.ts";
import type { SourceSeen, State, WatchEvent } from "./events.ts";

/** One line for a person; undefined for what is told by another event as well, or by metrics alone. */
export function sentenceOf(event: WatchEvent): string | undefined {
  const line = lineOf(event);
  // What a cluster is called and says comes from outside, and a terminal obeys control characters.
  return line === undefined ? undefined : plain(line);
}

function lineOf(event: WatchEvent): string | undefined {
  switch (event.event) {
    case "clusterAdded":
    case "clusterRemoved":
    case "expiries":
      return undefined;
    case "watching":
      return `${event.cluster}: watching ${event.kind}`;
    case "watchLost":
      return `${event.cluster}: not watching ${event.kind}: ${event.why}; trying again`;
    case "triggered":
      // The line that the watch has begun says it already.
      if (event.reason === "listed") return undefined;
      if (event.reason === "probe") return `${event.cluster}: its gateway ${event.about}`;
      return event.reason === "hostname"
        ? `${event.about} leads to another address`
        : `${event.cluster}: ${event.about} changed`;
    case "muted":
      return `${event.cluster}: more than can be told here; metrics count it, and lines come again in ${seconds(event.milliseconds)}`;
    case "looked":
      return `looked for ${seconds(event.milliseconds)}: ${event.sources.map(sourceLine).join("; ") || "the state has no mirrors yet"}`;
    case "runBegan":
      return `pulumi ${event.command} began`;
    case "runEnded":
      return `pulumi ${event.command} ${event.result} after ${seconds(event.milliseconds)}, ${changes(event)}`;
    case "converged":
      return `everything is done ${seconds(event.milliseconds)} after the first sign of it`;
    case "state":
      return stateLine(event);
    case "cleared":
      return event.what === "lock"
        ? `cleared the lock that an earlier run of this watch has left (${event.about})`
        : `ended what an earlier run of this watch has left running (${event.about})`;
  }
}

function changes({ command, changes: count }: WatchEvent & { readonly event: "runEnded" }): string {
  const resources = `${count} resource${count === 1 ? "" : "s"}`;
  return command === "preview" ? `${resources} to change` : `${resources} changed`;
}

const stateWords: Readonly<Record<State, string>> = {
  starting: "starting",
  settled: "everything is in order",
  running: "there is something to do",
  refused: "nothing is done, because it was refused",
  failing: "the last run failed",
  locked: "the stack is locked",
};

function stateLine({ state, why, retryIn }: WatchEvent & { readonly event: "state" }): string {
  const reasons = why.length === 0 ? "" : `: ${why.join("; ")}`;
  const again = retryIn === undefined ? "" : ` (again in ${seconds(retryIn)} at the latest)`;
  return stateWords[state] + reasons + again;
}

function sourceLine({ source, verdict, parts, away }: SourceSeen): string {
  const counts = Object.entries(parts).map(
    ([part, { mirrors, notMirrored }]) =>
      `${part} ${mirrors}${notMirrored === 0 ? "" : ` and ${notMirrored} not mirrored`}`,
  );
  const words = { inOrder: "in order", work: "to be changed", refused: "refused" }[verdict];
  const unread = Object.keys(away);
  const missing = unread.length === 0 ? "" : `, without ${unread.join(", ")}`;
  return `${source} (${counts.join(", ") || "no mirrors"}) ${words}${missing}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
