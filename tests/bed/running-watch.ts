import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { lastWords, type Program, until } from "./processes.ts";
import type { WatchEvent } from "../../cli/watch/events.ts";
import { type EngineParts, environment } from "./pulumi.ts";
import { type PulumiStack, repository } from "./stack.ts";

export interface RunningWatch extends Pick<Program, "problem"> {
  readonly pid: number;
  readonly events: readonly WatchEvent[];
  readonly isEnded: () => boolean;
  readonly ended: Promise<number | string>;
}

/** Its errors and its records are in the folder of the bed, so that the next watch finds them. */
export function startWatch(
  bed: EngineParts,
  { settings }: Pick<PulumiStack, "settings">,
): RunningWatch {
  const log = join(bed.folder, "watch.log");
  const fd = openSync(log, "a");
  // Earlier watches left these.
  const { size } = fstatSync(fd);
  // The watch writes them itself, so that all of them are there once it has ended.
  const errors = createWriteStream(log, { fd });
  const child = spawn(
    process.execPath,
    [join("cli", "linkerd-clusters.mjs"), "watch", "--output", "json"],
    {
      cwd: repository,
      env: { ...environment(bed), ...settings, XDG_STATE_HOME: join(bed.folder, "watch-state") },
      stdio: ["ignore", "pipe", errors],
      // Whoever has started it passes a Ctrl-C on.
      detached: true,
    },
  );
  errors.close();
  const events: WatchEvent[] = [];
  createInterface(child.stdout).on("line", (line) => {
    events.push(JSON.parse(line) as WatchEvent);
  });
  let end: number | string | undefined;
  const ended = once(child, "exit").then(([code, signal]) => {
    return (end = (code ?? signal) as number | string);
  });
  const problem = (): string | undefined =>
    end === undefined
      ? undefined
      : `The watch ended (${end}). ${lastWords(readFileSync(log).subarray(size).toString())}`;
  return { pid: child.pid ?? 0, events, isEnded: () => end !== undefined, ended, problem };
}

/** Waits until there was a dry run after the last change, and nothing is left to do. */
export function settled(
  watch: RunningWatch,
  patience: number,
  isReady: (watch: RunningWatch) => boolean = () => true,
): Promise<true> {
  const isSettled = ({ events }: RunningWatch) => {
    const last = (event: WatchEvent["event"]) =>
      events.findLastIndex((each) => each.event === event);
    const state = events[last("state")];
    const isReadSince = last("triggered") >= 0 && last("dryRun") > last("triggered");
    return state?.event === "state" && state.state === "settled" && isReadSince;
  };
  const probe = () => Promise.resolve((isReady(watch) && isSettled(watch)) || undefined);
  return until("the watch to settle", [watch], probe, patience);
}
