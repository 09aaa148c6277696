import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Inputs } from "../mirroring/model/state.ts";
import type { DryRun } from "./dry-run.ts";

interface Prepared {
  readonly child: ChildProcess;
  /** The words for its end, or for why it could not begin. Never rejects. */
  readonly ended: Promise<string>;
}

/**
 * Makes each dry run in a process of its own, which ends with it: reading 10,000 Services and their mirrors
 * takes hundreds of MB, which a process that goes on would keep.
 */
export class DryRunner {
  readonly #resolved: (hostnames: DryRun["hostnames"]) => void;
  #prepared: Prepared | undefined;

  /** @param resolved gets the hostnames of gateways after each dry run */
  constructor(resolved: (hostnames: DryRun["hostnames"]) => void = () => undefined) {
    this.#resolved = resolved;
  }

  /** Lets the process of the next dry run start while changes are debounced. Never throws. */
  prepare(): void {
    try {
      this.#prepared ??= this.#start();
    } catch {
      // The dry run says so, if there is still no starting a process by then.
    }
  }

  /** @throws Error with a sentence if the dry run itself fails */
  async run(sources: readonly Inputs[]): Promise<DryRun> {
    const { child, ended } = (this.#prepared ??= this.#start());
    const answered = once(child, "message").then(([answer]) => answer as DryRun | string);
    // Where it takes none, `ended` says so.
    answered.catch(() => undefined);
    child.send(sources);
    const answer = await Promise.race([answered, ended]);
    await ended;
    if (typeof answer === "string") throw new Error(answer);
    this.#resolved(answer.hostnames);
    return answer;
  }

  /** Ends a dry run that is under way, which nobody waits for any more. */
  close(): void {
    this.#prepared?.child.kill("SIGKILL");
  }

  /** Starts a process, which is replaced once it has ended, even before it was asked. */
  #start(): Prepared {
    // In a process group of its own: a Ctrl-C in the terminal is the watch's to act upon.
    const child = fork(new URL("./dry-run-process.ts", import.meta.url), { detached: true });
    const ended = new Promise<string>((resolve) => {
      // Not its exit, which may come before its answer.
      child.on("close", (code, signal) => {
        resolve(`the dry run was ended (${String(code ?? signal)})`);
      });
      // One that could not be started does not exit.
      child.on("error", ({ message }) => {
        resolve(`no dry run could be made: ${message}`);
      });
    });
    void ended.then(() => {
      if (this.#prepared?.child === child) this.#prepared = undefined;
    });
    return { child, ended };
  }
}
