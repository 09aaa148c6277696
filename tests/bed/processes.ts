import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { BedError } from "./errors.ts";
import type { Watchdog } from "./watchdog.ts";

/** A running server of the bed. */
export interface Program {
  /** What is wrong when it ended although nobody ended it. */
  problem(): string | undefined;
  /** Ends it at once: what it wrote is to survive only as far as it promised its clients. */
  end(): Promise<void>;
  /** Stops and continues its execution: to its clients it falls silent, without closing anything. */
  freeze(): void;
  thaw(): void;
}

export interface Command {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly log: string;
}

export function startProgram({ name, path, args, log }: Command, watchdog: Watchdog): Program {
  const output = openSync(log, "a");
  const child = spawn(path, args, { detached: true, stdio: ["ignore", output, output] });
  closeSync(output);
  const ended = once(child, "exit");
  let problem: string | undefined;
  let ending = false;
  child.once("error", (error) => (problem = `${name} can't be started: ${error.message}`));
  ended.then(
    ([code, signal]) => {
      if (!ending) problem = `${name} ended (${String(code ?? signal)}).`;
    },
    () => undefined,
  );
  watchdog.guard(child);
  child.unref();

  return {
    problem: () => problem && `${problem} ${lastWords(log)}`,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      ending = true;
      child.ref();
      child.kill("SIGKILL");
      await ended;
    },
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
  };
}

/** Polls until `probe` gives a value. A probe that throws means: not yet. */
export async function until<T>(
  what: string,
  programs: readonly Program[],
  probe: () => Promise<T | undefined>,
  seconds = 60,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  let reason = "";
  for (;;) {
    try {
      const value = await probe();
      if (value !== undefined) return value;
    } catch (error) {
      reason = ` (${error instanceof Error ? error.message : String(error)})`;
    }
    for (const program of programs) {
      const problem = program.problem();
      if (problem !== undefined) throw new BedError(`Waiting for ${what}: ${problem}`);
    }
    if (performance.now() > deadline) {
      throw new BedError(`Still waiting for ${what} after ${seconds} s${reason}.`);
    }
    await sleep(50);
  }
}

function lastWords(log: string): string {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  return `Its last words:\n${lines.slice(-8).join("\n")}`;
}
