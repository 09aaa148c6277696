import { setImmediate } from "node:timers/promises";
import type { Time } from "../../engine/kubernetes/client/retry.ts";

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

/**
 * A clock that stands still while there is anything to do, and then jumps to what is waited for,
 * deadlines included: for work that waits for nothing outside the process.
 */
export class DeadlineClock implements Time {
  readonly #timers = new Set<Timer>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  alarm(milliseconds: number, call: () => void): () => void {
    const timer = { at: this.#now + milliseconds, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const silence = this.alarm(milliseconds, resolve);
      signal?.addEventListener("abort", () => {
        silence();
        resolve();
      });
    });
  }

  /** Does the work, and returns how many milliseconds it would have taken. */
  async measure(work: () => Promise<unknown>): Promise<number> {
    const start = this.#now;
    const state: { done: boolean } = { done: false };
    const isDone = () => state.done;
    const doing = work().finally(() => {
      state.done = true;
    });
    doing.catch(() => undefined);
    while (!isDone()) {
      // As many turns as the work may take from one wait to the next.
      for (let turn = 0; turn < 5 && !isDone(); turn++) await setImmediate();
      const [next] = [...this.#timers].sort((one, other) => one.at - other.at);
      if (isDone() || next === undefined) continue;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
    }
    await doing;
    return this.#now - start;
  }
}
