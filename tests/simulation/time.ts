import { setImmediate } from "node:timers/promises";

import type { Time } from "../../engine/kubernetes/retry.ts";

/** How often the event loop is let go before everybody is taken to be waiting. */
const rounds = 4;

/**
 * A clock on which waiting takes no time, and chance is a given sequence. Waits that overlap pass
 * together, as on any clock: it moves on to the next one's end once nobody has anything else to do.
 */
export class VirtualTime implements Time {
  readonly #chance: () => number;
  readonly #waiting: { readonly until: number; readonly wake: () => void }[] = [];
  #now = 0;
  #isMoving = false;

  constructor(chance: () => number = () => 0.5) {
    this.#chance = chance;
  }

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((wake) => {
      this.#waiting.push({ until: this.#now + milliseconds, wake });
      if (!this.#isMoving) void this.#move();
    });
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
      next?.wake();
    }
    this.#isMoving = false;
  }
}
