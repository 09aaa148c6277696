import { backoff, type Backoff, type Time } from "@linkerd-multicluster/engine/kubernetes";

/** In milliseconds. A dry run waits for a pause between changes, but not longer after the first one. */
const quiet = 1_000;
const longestDelay = 5_000;

/** Milliseconds between a failure and the next attempt at everything. */
const failureBackoff: Backoff = { first: 5_000, longest: 300_000 };

/** In milliseconds. After a failure, a change waits no longer, because one failure must not stop the rest. */
const longestHold = 30_000;

/** A turn covers mirrors only, or everything that the stack manages. */
export type Scope = "everything" | "mirrors";

/**
 * Decides when the watch acts. It begins with everything, and repeats that at every resync and after a failure.
 * Changes are debounced, so that a rollout costs one dry run, and a cluster that never stops changing causes one
 * every few seconds, which covers the changes of all others.
 */
export class Schedule {
  readonly #resync: number;
  readonly #time: Time;
  /** The first change since the last turn was seen then, and all of them are due then. */
  #firstChange = Infinity;
  #changesDue = Infinity;
  /** A mirror is due to be deleted then, which no change announces. */
  #due = Infinity;
  #everythingDue = -Infinity;
  #failures = 0;
  /** No change leads to a turn before then, because a run has just failed. */
  #notBefore = -Infinity;
  #wake: () => void = () => undefined;

  /** @param resync milliseconds between two turns for everything */
  constructor(resync: number, time: Time) {
    this.#resync = resync;
    this.#time = time;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** In milliseconds. */
  get untilEverything(): number {
    return this.#everythingDue - this.#time.now();
  }

  /** Plans a turn for a change that was just seen. */
  changed(): void {
    const now = this.#time.now();
    this.#firstChange = Math.min(this.#firstChange, now);
    this.#changesDue = Math.min(now + quiet, this.#firstChange + longestDelay);
    this.#wake();
  }

  /** Plans a turn after this many milliseconds, even if nothing changes. */
  dueIn(milliseconds: number): void {
    this.#due = this.#time.now() + milliseconds;
  }

  /** Waits for the next turn, which handles all changes so far. Returns undefined once it is stopped. */
  async next(stop: AbortSignal): Promise<Scope | undefined> {
    while (!stop.aborted) {
      const now = this.#time.now();
      const mirrorsDue = Math.min(this.#due, Math.max(this.#changesDue, this.#notBefore));
      const wait = Math.min(this.#everythingDue, mirrorsDue) - now;
      if (wait <= 0) return this.#begin(now);
      const awake = new AbortController();
      this.#wake = () => {
        awake.abort();
      };
      await this.#time.sleep(wait, AbortSignal.any([awake.signal, stop]));
    }
    return undefined;
  }

  #begin(now: number): Scope {
    this.#firstChange = this.#changesDue = this.#due = Infinity;
    if (this.#everythingDue > now) return "mirrors";
    // Watches that started together drift apart.
    this.#everythingDue = now + this.#resync * (0.95 + this.#time.random() / 10);
    return "everything";
  }

  /** Plans to try everything again after a turn that failed. */
  failed(): void {
    this.#failures += 1;
    const now = this.#time.now();
    const wait = backoff(this.#failures, failureBackoff, this.#time);
    this.#everythingDue = Math.min(this.#everythingDue, now + wait);
    this.#notBefore = now + Math.min(wait, longestHold);
  }

  succeeded(): void {
    this.#failures = 0;
  }
}
