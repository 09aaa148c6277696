import { setImmediate } from "node:timers/promises";

import type { Time } from "../../engine/kubernetes/client/retry.ts";

/** How often the event loop is let go before everybody is taken to be waiting. */
const rounds = 4;

/**
 * A clock on which waiting takes no time, and chance is a given sequence. Waits that overlap pass
 * together, as on any clock: it moves on to the next one's end once nobody has anything else to do.
 */
export class VirtualTime implements Time {
  readonly #chance: () => number;
  readonly #waiting: { readonly until: number; readonly wake: () => void }[] = [];
  readonly #alarms = new Set<{ readonly at: number; readonly call: () => void }>();
  #now = 0;
  #isMoving = false;

  constructor(chance: () => number = () => 0.5) {
    this.#chance = chance;
  }

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      const until = this.#now + (signal?.aborted === true ? 0 : milliseconds);
      this.#waiting.push({ until, wake });
      signal?.addEventListener("abort", () => {
        wake();
      });
      if (!this.#isMoving) void this.#move();
    });
  }

  /** Goes off when a wait passes its time; it does not move the clock by itself. */
  alarm(milliseconds: number, call: () => void): () => void {
    const alarm = { at: this.#now + milliseconds, call };
    this.#alarms.add(alarm);
    return () => {
      this.#alarms.delete(alarm);
    };
  }

  random(): number {
    return this.#chance();
  }

  async #move(): Promise<void> {
    this.#isMoving = true;
    while (this.#waiting.length > 0) {
      for (let round = 0; round < rounds; round += 1) await setImmediate();
      this.#waiting.sort((a, b) => a.until - b.until);
      const next = this.#waiting.shift();
      this.#now = Math.max(this.#now, next?.until ?? 0);
      for (const alarm of [...this.#alarms])
        if (alarm.at <= this.#now && this.#alarms.delete(alarm)) alarm.call();
      next?.wake();
    }
    this.#isMoving = false;
  }
}
