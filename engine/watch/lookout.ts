import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Inputs } from "../mirroring/model/state.ts";
import { Hostnames } from "./hostnames.ts";
import type { Answer } from "./look-process.ts";
import type { Sight } from "./look.ts";

interface Prepared {
  readonly child: ChildProcess;
  /** How it has ended, or why it could not begin. Never rejects. */
  readonly ended: Promise<string>;
}

/**
 * Looks in a process of its own, which ends with the look: reading 10,000 Services and their mirrors
 * takes hundreds of MB, which a process that goes on would keep.
 */
export class Lookout {
  readonly #hostnames = new Hostnames();
  #next: Prepared | undefined;

  /** A look is about to be wanted: until then its process has time to start. Never throws. */
  prepare(): void {
    try {
      this.#prepared();
    } catch {
      // The look says so, if there is still no starting a process by then.
    }
  }

  /** @throws Error with a sentence if the look itself fails */
  async look(sources: readonly Inputs[]): Promise<Sight> {
    const { child, ended } = this.#prepared();
    const answered = once(child, "message").then(([answer]) => answer as Answer);
    // Where it takes none, `ended` says so.
    answered.catch(() => undefined);
    child.send(sources);
    const answer = await Promise.race([answered, ended.then((why): Answer => ({ why }))]);
    await ended;
    if ("why" in answer) throw new Error(answer.why);
    this.#hostnames.remember(answer.sight.hostnames);
    return answer.sight;
  }

  /** The hostnames of gateways that lead elsewhere than when clusters were looked at. Never rejects. */
  moved(): Promise<string[]> {
    return this.#hostnames.moved();
  }

  /** Ends a look that is under way, which nobody waits for any more. */
  close(): void {
    this.#next?.child.kill("SIGKILL");
  }

  /** One that has died while it waited to be asked is replaced. */
  #prepared(): Prepared {
    if (this.#next !== undefined) return this.#next;
    // In a process group of its own: a Ctrl-C in the terminal is the watch's to act upon.
    const child = fork(new URL("./look-process.ts", import.meta.url), { detached: true });
    const ended = new Promise<string>((resolve) => {
      const end = (how: string) => {
        if (this.#next?.child === child) this.#next = undefined;
        resolve(how);
      };
      // Not its exit, which may come before its answer.
      child.on("close", (code, signal) => {
        end(`the look was ended (${String(code ?? signal)})`);
      });
      // One that could not be started does not exit.
      child.on("error", ({ message }) => {
        end(`no look could be made: ${message}`);
      });
    });
    this.#next = { child, ended };
    return this.#next;
  }
}
