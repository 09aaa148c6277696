import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Inputs } from "../mirroring/reconcile/state.ts";
import type { SourceSeen } from "./events.ts";
import { Hostnames, type Resolve } from "./hostnames.ts";
import type { Answer } from "./look-process.ts";

/**
 * Looks in a process of its own, which ends with the look: reading 10,000 Services and their mirrors
 * takes hundreds of MB, which a process that goes on would keep.
 */
export class Lookout {
  readonly #hostnames: Hostnames;
  #next: ChildProcess | undefined;

  constructor(resolve?: Resolve) {
    this.#hostnames = new Hostnames(resolve);
  }

  /** A look is about to be wanted: until then its process has time to start. */
  prepare(): void {
    this.#next ??= start();
  }

  /** @throws Error with a sentence if the look itself fails */
  async look(sources: readonly Inputs[]): Promise<readonly SourceSeen[]> {
    this.prepare();
    const child = this.#next;
    if (child === undefined) return [];
    const ended = once(child, "exit").then(([code, signal]): Answer => {
      this.#next = undefined;
      return { why: `the look was ended (${String(code ?? signal)})` };
    });
    const answered = once(child, "message").then(([answer]) => answer as Answer);
    child.send(sources);
    const answer = await Promise.race([answered, ended]);
    await ended;
    if ("why" in answer) throw new Error(answer.why);
    this.#hostnames.remember(answer.sight.hostnames);
    return answer.sight.sources;
  }

  /** The hostnames of gateways that lead elsewhere than when clusters were looked at. */
  moved(): Promise<string[]> {
    return this.#hostnames.moved();
  }

  /** Ends a look that is under way, which nobody waits for any more. */
  close(): void {
    this.#next?.kill("SIGKILL");
  }
}

/** In a process group of its own: a Ctrl-C in the terminal is the watch's to act upon. */
function start(): ChildProcess {
  return fork(new URL("./look-process.ts", import.meta.url), { detached: true });
}
