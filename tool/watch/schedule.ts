import { backoff, type Backoff, type Time } from "@linkerd-multicluster/engine/kubernetes";

/** Milliseconds without another change before a dry run, and since the first change at most. */
const quiet = 1_000;
const longestDelay = 5_000;

/** Milliseconds until everything is tried again after a failure. */
const failureBackoff: Backoff = { first: 5_000, longest: 300_000 };

/** The most of them that a change has to wait: one failure does not stop the rest. */
const longestHold = 30_000;

/**
 * Decides when something is done, on the clock of `Time`; it begins with everything.
 *
 * Changes are debounced, so that a rollout costs one dry run, and one cluster that never stops changing causes one
 * every few seconds, which sees to the changes of all others too.
 */
export class Schedule {
  readonly #resync: number;
  readonly #time: Time;
  /** The clusters that have changed since the last turn. */
  readonly #changed = new Set<string>();
  /** When the first of these changes was seen, and when they are to be acted upon. */
  #firstChange = Infinity;
  #changesDue = Infinity;
  #failures = 0;
  /** When everything is seen to again. */
  #everything = -Infinity;
  /** When something is due that no cluster tells of. */
  #due = Infinity;
  /** Before that, no change leads to a dry run: a run has just failed. */
  #notBefore = -Infinity;
  /** When the first of the changes was seen that were acted upon and are not dealt with. */
  #pendingSince: number | undefined;
  #wake: () => void = () => undefined;

  /** @param resync milliseconds between two turns that see to everything, and not to mirrors alone */
  constructor(resync: number, time: Time) {
    this.#resync = resync;
    this.#time = time;
  }

  /** Returns whether it is the cluster's first change since the last turn. */
  changed(cluster: string): boolean {
    const now = this.#time.now();
    const isFirst = !this.#changed.has(cluster);
    this.#changed.add(cluster);
    this.#firstChange = Math.min(this.#firstChange, now);
    this.#changesDue = Math.min(now + quiet, this.#firstChange + longestDelay);
    this.#wake();
    return isFirst;
  }

  /** Plans a dry run in so many milliseconds, whatever clusters tell. */
  dueIn(milliseconds: number): void {
    this.#due = this.#time.now() + milliseconds;
  }

  /** Waits until it is time for the next turn, which acts upon all changes so far; undefined: it was stopped. */
  async next(stop: AbortSignal): Promise<"everything" | "mirrors" | undefined> {
    while (!stop.aborted) {
      const now = this.#time.now();
      const mirrors = Math.min(this.#due, Math.max(this.#changesDue, this.#notBefore));
      const wait = Math.min(this.#everything, mirrors) - now;
      if (wait <= 0) return this.#take(now);
      const awake = new AbortController();
      this.#wake = () => {
        awake.abort();
      };
      await this.#time.sleep(wait, AbortSignal.any([awake.signal, stop]));
    }
    return undefined;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Milliseconds until everything is seen to again, whatever clusters tell. */
  get untilEverything(): number {
    return this.#everything - this.#time.now();
  }

  /** Notes that a turn has failed, after which everything is tried again. */
  failed(): void {
    this.#failures += 1;
    const now = this.#time.now();
    const wait = backoff(this.#failures, failureBackoff, this.#time);
    this.#everything = Math.min(this.#everything, now + wait);
    this.#notBefore = now + Math.min(wait, longestHold);
  }

  /** Notes that everything is dealt with; returns how many milliseconds after the first change, if there was one. */
  succeeded(): number | undefined {
    const since = this.#pendingSince;
    this.#failures = 0;
    this.#pendingSince = undefined;
    return since === undefined ? undefined : this.#time.now() - since;
  }

  #take(now: number): "everything" | "mirrors" {
    if (this.#changed.size > 0)
      this.#pendingSince = Math.min(this.#pendingSince ?? Infinity, this.#firstChange);
    this.#changed.clear();
    this.#firstChange = this.#changesDue = this.#due = Infinity;
    if (this.#everything > now) return "mirrors";
    // Watches that start together do not stay together.
    this.#everything = now + this.#resync * (0.95 + this.#time.random() / 10);
    return "everything";
  }
}
