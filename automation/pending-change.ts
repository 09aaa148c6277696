import type { WatchEvent } from "@linkerd-multicluster/engine/watch";

/** Since when something is waiting to be dealt with, from what a watch tells. In seconds. */
export class PendingChange {
  /** Of what looks know of. */
  #known: number | undefined;
  /** First sign since the last look began, of which it can't know. */
  #later: number | undefined;
  #lastSign = -Infinity;

  /** After that event: the first sign of what has not been dealt with; 0: there is none. */
  after(event: WatchEvent, now: number): number {
    if (event.event === "triggered") {
      this.#lastSign = now;
      this.#later ??= now;
    }
    if (event.event === "looked") {
      const begun = now - event.milliseconds / 1000;
      const isDuring = this.#lastSign > begun;
      this.#known ??= this.#later;
      this.#later = isDuring ? this.#lastSign : undefined;
    }
    if (event.event === "state" && event.state === "settled") this.#known = undefined;
    return this.#known ?? this.#later ?? 0;
  }
}
