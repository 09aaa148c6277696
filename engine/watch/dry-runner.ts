import { type ChildProcess, fork, type ForkOptions } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { systemTime, type Time } from "../kubernetes/client/retry.ts";
import type { Inputs } from "../mirroring/model/state.ts";
import type { DryRun } from "./dry-run.ts";

/** Milliseconds between two times that hostnames are resolved, and that DNS has for all of them. */
const period = 30_000;
const timeout = 10_000;

/**
 * Makes each dry run in a process of its own, which ends with it: reading 10,000 Services and their mirrors
 * takes hundreds of MB, which a process that goes on would keep.
 */
export class DryRunner {
  readonly #startProcess: typeof startProcess;
  #prepared: OwnProcess | undefined;
  /** The hostnames of gateways, with what they led to in the last dry run. */
  #hostnames: DryRun["hostnames"] = {};

  constructor(start = startProcess) {
    this.#startProcess = start;
  }

  /** Lets the process of the next dry run start while changes are debounced. Never throws. */
  prepare(): void {
    try {
      this.#start();
    } catch {
      // The dry run says so, if there is still no starting a process by then.
    }
  }

  /** @throws Error with a sentence if the dry run itself fails */
  async run(sources: readonly Inputs[]): Promise<DryRun> {
    const { child, ended } = this.#start();
    child.send(sources);
    const { told, by } = await ended;
    const [answer = by] = told as readonly (DryRun | string)[];
    if (typeof answer === "string") throw new Error(answer);
    this.#hostnames = answer.hostnames;
    return answer;
  }

  /**
   * Calls `moved` for each hostname that leads elsewhere, until the signal is aborted: clusters don't tell of
   * a change in DNS, and mirrors lead to addresses. Never rejects.
   */
  async watchHostnames(
    moved: (name: string) => void,
    signal: AbortSignal,
    time: Time = systemTime,
  ): Promise<void> {
    for (;;) {
      await time.sleep(period, signal);
      if (signal.aborted) return;
      const found = new Map(await this.#resolved().catch(() => []));
      // A dry run may have been made meanwhile. A name that does not resolve may be DNS being away: it stays.
      for (const [name, before] of Object.entries(this.#hostnames))
        if (!isDeepStrictEqual(new Set(found.get(name) ?? before), new Set(before))) moved(name);
    }
  }

  /** Ends a dry run that is under way, which nobody waits for any more. */
  close(): void {
    this.#prepared?.child.kill("SIGKILL");
  }

  /** The process that is prepared, which is another one once it has ended, even before it was asked. */
  #start(): OwnProcess {
    if (this.#prepared !== undefined) return this.#prepared;
    const started = this.#startProcess("dry-run");
    void started.ended.then(() => (this.#prepared = undefined));
    return (this.#prepared = started);
  }

  /**
   * Resolves in a process of its own, with a thread for each name: those that some target's DNS never answers
   * for keep neither other names waiting, nor what the watch reads of files.
   *
   * @returns the addresses of each name that DNS has an answer for, in time
   */
  async #resolved(): Promise<readonly Resolved[]> {
    const names = Object.keys(this.#hostnames);
    if (names.length === 0) return [];
    const env = { ...process.env, UV_THREADPOOL_SIZE: String(names.length) };
    const options = { env, timeout, killSignal: "SIGKILL" } as const;
    // What it has told holds, even if it had to be ended.
    const { told } = await this.#startProcess("hostnames", names, options).ended;
    return told as readonly Resolved[];
  }
}

type Resolved = readonly [name: string, addresses: readonly string[]];

export interface OwnProcess {
  readonly child: Pick<ChildProcess, "send" | "kill">;
  /** What it has told until its end, and the words for that. Never rejects. */
  readonly ended: Promise<{ readonly told: readonly unknown[]; readonly by: string }>;
}

/** Starts a program of this folder in a process of its own, which tells its results as messages. */
export function startProcess(
  program: "dry-run" | "hostnames",
  words: readonly string[] = [],
  options: ForkOptions = {},
): OwnProcess {
  const url = new URL(`./${program}-process.ts`, import.meta.url);
  // In a process group of its own: a Ctrl-C in the terminal is the watch's to act upon.
  const child = fork(url, words, { detached: true, ...options });
  const told: unknown[] = [];
  child.on("message", (message) => told.push(message));
  const ended = new Promise<Awaited<OwnProcess["ended"]>>((resolve) => {
    // Not its exit, which may come before what it tells.
    child.on("close", (code, signal) => {
      resolve({ told, by: `the dry run was ended (${String(code ?? signal)})` });
    });
    // One that could not be started does not exit.
    child.on("error", ({ message }) => {
      resolve({ told, by: `no dry run could be made: ${message}` });
    });
  });
  return { child, ended };
}
