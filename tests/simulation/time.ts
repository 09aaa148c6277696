import { setImmediate } from "node:timers/promises";

import type { Time } from "../../engine/kubernetes/client/retry.ts";

/** The event loop runs so many times before everybody counts as waiting. */
const rounds = 4;

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

/**
 * A clock on which waiting takes no time, with a given sequence of random numbers. Waits that overlap pass together:
 * the clock moves to the end of the next one once nobody has anything else to do.
 */
export class VirtualTime implements Time {
  readonly slept: number[] = [];
  readonly #chance: () => number;
  readonly #waits = new Set<Timer>();
  readonly #alarms = new Set<Timer>();
  #now = 0;
  #isMoving = false;

  constructor(chance: () => number = () => 0.5) {
    this.#chance = chance;
  }

  now(): number {
    return this.#now;
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.slept.push(milliseconds);
    return new Promise((wake) => {
      const wait = { at: this.#now + (signal?.aborted === true ? 0 : milliseconds), call: wake };
      this.#waits.add(wait);
      signal?.addEventListener("abort", () => {
        this.#waits.delete(wait);
        wake();
      });
      if (!this.#isMoving) void this.#move();
    });
  }

  /** Calls back when a wait passes this time. It doesn't move the clock by itself. */
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
    while (this.#waits.size > 0) {
      for (let round = 0; round < rounds; round += 1) await setImmediate();
      if (this.#waits.size === 0) break;
      const [next] = [...this.#alarms, ...this.#waits].sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      this.#alarms.delete(next);
      this.#waits.delete(next);
      next.call();
    }
    this.#isMoving = false;
  }
}
