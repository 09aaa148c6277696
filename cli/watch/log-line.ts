import { count, inSeconds, listed, printable } from "@linkerd-multicluster/engine/kubernetes";
import type { SourceStatus, State, WatchEvent } from "./events.ts";

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
      const sources = event.sources.map(sourceText).join("; ");
      return `dry run took ${inSeconds(event.milliseconds)}: ${sources || "the state has no mirrors yet"}`;
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
  settled: "everything is in order",
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
  const without = unread.length === 0 ? "" : `, without ${unread.join(", ")}`;
  return `${source} (${counts.join(", ") || "no mirrors"}) ${result}${restored}${without}`;
}
