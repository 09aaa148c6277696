import { setImmediate } from "node:timers/promises";

import type { Time } from "../../engine/kubernetes/retry.ts";

/** A clock on which waiting takes no time, and chance is a given sequence. */
export class VirtualTime implements Time {
  readonly #chance: () => number;
  #now = 0;

  constructor(chance: () => number = () => 0.5) {
    this.#chance = chance;
  }

  now(): number {
    return this.#now;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.pass(milliseconds);
    await setImmediate();
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  random(): number {
    return this.#chance();
  }
}
