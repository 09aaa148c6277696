import { setImmediate } from "node:timers/promises";

import type { Time } from "../../engine/kubernetes/retry.ts";

/** A clock on which waiting is over at once, and time passes by nothing else; chance is a given sequence. */
export class InstantTime implements Time {
  readonly #chance: () => number;
  readonly #alarms = new Map<() => void, number>();
  #now = 0;

  constructor(chance: () => number = () => 0.5) {
    this.#chance = chance;
  }

  now(): number {
    return this.#now;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted !== true) this.pass(milliseconds);
    await setImmediate();
  }

  alarm(milliseconds: number, call: () => void): () => void {
    this.#alarms.set(call, this.#now + milliseconds);
    return () => this.#alarms.delete(call);
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (const [call, at] of [...this.#alarms]) {
      if (at > this.#now || !this.#alarms.delete(call)) continue;
      call();
    }
  }

  random(): number {
    return this.#chance();
  }
}
