import { count, listed } from "@linkerd-multicluster/engine/base";
import { inSeconds, printable } from "@linkerd-multicluster/engine/kubernetes";
import type { SourceStatus, State, WatchEvent } from "./events.ts";

/** The memory of the log, which repeats nothing. */
export interface Told {
  /** The last word about each source and about the state. */
  readonly last: Map<string, string>;
  /** Clusters in which something has changed since the last dry run began. */
  readonly changed: Set<string>;
}

/**
 * Leaves out what the log has said already: what a dry run found of a source, why a state lasts, and all changes of a cluster
 * but the first before a dry run. A mesh of 20 clusters would write it again and again while one of them is down.
 */
export function newsIn(event: WatchEvent, { last, changed }: Told): WatchEvent | undefined {
  const isNew = (about: string, said: unknown) => {
    const text = JSON.stringify(said);
    const before = last.get(about);
    last.set(about, text);
    return text !== before;
  };
  // A list begins a watch, and is no change.
  if (event.event === "triggered" && event.reason !== "listed") {
    if (changed.has(event.cluster)) return undefined;
    changed.add(event.cluster);
  }
  if (event.event === "state") {
    const { state, why } = event;
    return isNew("", [state, why]) || why.length === 0 ? event : { ...event, why: ["as before"] };
  }
  if (event.event !== "dryRun") return event;
  const sources = event.sources.filter(({ gateways = {}, unreachable, ...found }) => {
    const alive = Object.entries(gateways).map(([target, gateway]) => [target, gateway.alive]);
    // The sentences about an outage vary.
    return isNew(found.source, [found, alive, Object.keys(unreachable)]);
  });
  return { ...event, sources, unchanged: event.sources.length - sources.length };
}

/** Returns undefined for an event that only metrics count, or that another line reports. */
export function sentenceOf(event: WatchEvent): string | undefined {
  const line = lineOf(event);
  // Clusters choose their names and messages, and a terminal obeys control characters.
  return line === undefined ? undefined : printable(line);
}

function lineOf(event: WatchEvent): string | undefined {
  switch (event.event) {
    case "watching":
      return `${event.cluster}: watching ${event.kind}`;
    case "watchLost":
      return `${event.cluster}: not watching ${event.kind}: ${event.why}; trying again`;
    case "triggered":
      if (event.reason === "listed") return undefined;
      if (event.reason === "hostname") return `${event.about} resolves to other addresses`;
      return `${event.cluster === "" ? "" : `${event.cluster}: `}${event.about} changed`;
    case "dryRun": {
      const { sources, unchanged = 0 } = event;
      const rest = unchanged === 0 ? [] : [`${count(unchanged, "source")} as before`];
      const found = [...sources.map(sourceText), ...rest].join("; ");
      return `dry run took ${inSeconds(event.milliseconds)}: ${found || "the state has no mirrors yet"}`;
    }
    case "runBegan":
      return `pulumi ${event.command} began`;
    case "runSilent":
      return `pulumi ${event.command} has printed nothing for ${inSeconds(event.milliseconds)}: interrupted it, and waiting for its end`;
    case "runEnded": {
      const resources = count(event.changes, "resource");
      const change = event.command === "preview" ? "to change" : "changed";
      return `pulumi ${event.command} ${event.result} after ${inSeconds(event.milliseconds)}, ${resources} ${change}`;
    }
    case "state": {
      const { retryIn } = event;
      const again = retryIn === undefined ? "" : ` (next attempt in ${inSeconds(retryIn)} or less)`;
      return [stateText[event.state], event.why.join("; ")].filter(Boolean).join(": ") + again;
    }
    case "lockCleared":
      return `cleared the lock that an earlier run of this watch left (${event.lock})`;
    default:
      return undefined;
  }
}

const stateText: Readonly<Record<State, string>> = {
  starting: "starting",
  settled: "no changes pending",
  running: "running",
  refused: "blocked by a safety check",
  contested: "another writer changes mirrors again and again, so runs wait",
  failing: "the last run failed",
  locked: "the stack is locked",
};

function sourceText({ source, status, contested, parts, unreachable }: SourceStatus): string {
  const counts = Object.entries(parts).map(
    ([part, { mirrors, notMirrored }]) =>
      `${part} ${mirrors}${notMirrored === 0 ? "" : ` and ${notMirrored} not mirrored`}`,
  );
  const result = { inSync: "in sync", changed: "to be changed", refused: "refused" }[status];
  const restored = contested === undefined ? "" : ` (${listed(contested, 3)})`;
  const unread = Object.keys(unreachable);
  const without = unread.length === 0 ? "" : `, without ${listed(unread, 5)}`;
  return `${source} (${listed(counts, 5) || "no mirrors"}) ${result}${restored}${without}`;
}
