import { backoff, type Backoff, type Time } from "@linkerd-multicluster/engine/kubernetes";

/** In milliseconds. A dry run waits for a pause between changes, but not longer after the first one. */
const quiet = 1_000;
const longestDelay = 5_000;

/** Milliseconds between a failure and the next attempt at everything. */
const failureBackoff: Backoff = { first: 5_000, longest: 300_000 };

/** In milliseconds. After a failure, a change waits no longer, because one failure must not stop the rest. */
const longestHold = 30_000;

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
  #deletionDue = Infinity;
  #everythingDue = -Infinity;
  /** No change leads to a turn before then, because a run has just failed. */
  #notBefore = -Infinity;
  #wake: () => void = () => undefined;
  /** Counts turns in a row that failed. */
  failures = 0;

  /** @param resync milliseconds between two turns for everything */
  constructor(resync: number, time: Time) {
    this.#resync = resync;
    this.#time = time;
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
    this.#deletionDue = this.#time.now() + milliseconds;
  }

  /** Waits for the next turn, which handles all changes so far. Returns undefined once it is stopped. */
  async next(stop: AbortSignal): Promise<"everything" | "mirrors" | undefined> {
    while (!stop.aborted) {
      const now = this.#time.now();
      const mirrorsDue = Math.min(this.#deletionDue, Math.max(this.#changesDue, this.#notBefore));
      const wait = Math.min(this.#everythingDue, mirrorsDue) - now;
      if (wait <= 0) {
        this.#firstChange = this.#changesDue = this.#deletionDue = Infinity;
        if (this.#everythingDue > now) return "mirrors";
        // Watches that started together drift apart.
        this.#everythingDue = now + this.#resync * (0.95 + this.#time.random() / 10);
        return "everything";
      }
      const awake = new AbortController();
      this.#wake = () => {
        awake.abort();
      };
      await this.#time.sleep(wait, AbortSignal.any([awake.signal, stop]));
    }
    return undefined;
  }

  /** Plans to try everything again after a turn that failed. */
  failed(): void {
    this.failures += 1;
    const now = this.#time.now();
    const wait = backoff(this.failures, failureBackoff, this.#time);
    this.#everythingDue = Math.min(this.#everythingDue, now + wait);
    this.#notBefore = now + Math.min(wait, longestHold);
  }
}
