import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { UserError } from "@linkerd-multicluster/engine/base";
import type { Watchdog } from "./watchdog.ts";

const run = promisify(execFile);

export type Program = ReturnType<typeof startProgram>;

interface ServerCommand {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly log: string;
}

export function startProgram({ name, path, args, log }: ServerCommand, watchdog: Watchdog) {
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
    pid: child.pid ?? 0,
    /** Says why it ended although nobody stopped it. */
    problem: (): string | undefined =>
      problem && `${problem} ${lastWords(readFileSync(log, "utf8"))}`,
    /** Kills it at once. What it has promised to its clients must survive that. */
    async end(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      ending = true;
      child.ref();
      child.kill("SIGKILL");
      await ended;
    },
    /** Suspends and resumes the process. Meanwhile it answers no client and closes no connection. */
    async freeze(): Promise<void> {
      child.kill("SIGSTOP");
      await until(`${name} to stand still`, [], () => isStopped(child.pid));
    },
    thaw: () => void child.kill("SIGCONT"),
  };
}

/** The signal reaches a busy process of many threads only after a while. */
async function isStopped(pid: number | undefined): Promise<true | undefined> {
  const { stdout } = await run("ps", ["-o", "stat=", "-p", String(pid)]);
  return stdout.startsWith("T") || undefined;
}

/** Polls until `probe` returns a value. A probe that throws is tried again. The end of one of the programs ends the wait. */
export async function until<T>(
  what: string,
  programs: readonly Pick<Program, "problem">[],
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
      if (problem !== undefined) throw new UserError(`Waiting for ${what}: ${problem}`);
    }
    if (performance.now() > deadline) {
      throw new UserError(`Still waiting for ${what} after ${seconds} s${reason}.`);
    }
    await sleep(50);
  }
}

export function lastWords(log: string): string {
  const lines = log.trim().split("\n");
  return `Its last words:\n${lines.slice(-8).join("\n")}`;
}
