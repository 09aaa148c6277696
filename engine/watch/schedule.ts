import { backoff, type Backoff, type Time } from "../kubernetes/client/retry.ts";

/** Milliseconds without another change before a dry run, and since the first change at most. */
const quiet = 1_000;
const longestDelay = 5_000;

/** Dry runs that a cluster which is never quiet may cause, and then one in so many milliseconds. */
const burst = 30;
const perDryRun = 30_000;

/**
 * Debounces the changes of clusters, so that a rollout costs one dry run. Each cluster has dry runs of its
 * own to spend: one that never stops changing neither causes them without end, nor holds up the others.
 */
class Debounce {
  readonly #changes = new Map<string, { readonly first: number; readonly last: number }>();
  /** The time at which all dry runs that a cluster has spent are its own again. */
  readonly #restored = new Map<string, number>();

  add(cluster: string, now: number): void {
    const first = this.#changes.get(cluster)?.first ?? now;
    this.#changes.set(cluster, { first, last: now });
  }

  /** When the changes are to be acted upon; Infinity while there are none. */
  get due(): number {
    const dues = [...this.#changes].map(([cluster, { first, last }]) => {
      const affordable = (this.#restored.get(cluster) ?? 0) - (burst - 1) * perDryRun;
      return Math.max(Math.min(last + quiet, first + longestDelay), affordable);
    });
    return Math.min(...dues);
  }

  /** Begins anew; returns when the first change was seen, if there has been one. */
  take(now: number): number | undefined {
    const first = Math.min(...[...this.#changes.values()].map((change) => change.first));
    for (const cluster of this.#changes.keys())
      this.#restored.set(cluster, Math.max(this.#restored.get(cluster) ?? now, now) + perDryRun);
    this.#changes.clear();
    return first === Infinity ? undefined : first;
  }
}

/** Milliseconds until a run that failed is tried again. */
const failureBackoff: Backoff = { first: 5_000, longest: 300_000 };

/** The most of them that a change has to wait: one failure does not stop the rest. */
const longestHold = 30_000;

/** Decides when the next thing is done, on the clock of `Time`; it begins with everything. */
export class Schedule {
  readonly #every: number;
  readonly #time: Time;
  readonly #debounce = new Debounce();
  #failures = 0;
  /** When a run that failed is tried again; Infinity: none has. */
  #retry = Infinity;
  /** Before that, no change leads to a dry run: a run has just failed. */
  #notBefore = -Infinity;
  #resync = -Infinity;
  /** When something is due that no cluster tells of. */
  #due = Infinity;

  /** @param every milliseconds between two runs that see to everything, and not to mirrors alone */
  constructor(every: number, time: Time) {
    this.#every = every;
    this.#time = time;
  }

  /** Says what to do now, or how many milliseconds to wait for it. */
  next(): "everything" | "mirrors" | { readonly wait: number } {
    const now = this.#time.now();
    const everything = Math.min(this.#resync, this.#retry);
    if (everything <= now) return "everything";
    const mirrors = Math.min(this.#due, Math.max(this.#debounce.due, this.#notBefore));
    if (mirrors <= now) return "mirrors";
    return { wait: Math.min(everything, mirrors) - now };
  }

  changed(cluster: string): void {
    this.#debounce.add(cluster, this.#time.now());
  }

  /**
   * Takes the changes to act upon, and with everything plans the next time for it: watches that start
   * together do not stay together. Returns when the first change was seen, if there has been one.
   */
  take(what: "everything" | "mirrors"): number | undefined {
    const now = this.#time.now();
    if (what === "everything") this.#resync = now + this.#every * (0.95 + this.#time.random() / 10);
    this.#due = Infinity;
    return this.#debounce.take(now);
  }

  /** Plans a dry run in so many milliseconds, whatever clusters tell. */
  dueIn(milliseconds: number): void {
    this.#due = this.#time.now() + milliseconds;
  }

  /** Milliseconds. */
  get untilResync(): number {
    return this.#resync - this.#time.now();
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Notes a failure; returns how many milliseconds there are until it is tried again. */
  failed(): number {
    this.#failures += 1;
    const wait = backoff(this.#failures, failureBackoff, this.#time);
    this.#retry = this.#time.now() + wait;
    this.#notBefore = this.#time.now() + Math.min(wait, longestHold);
    return wait;
  }

  /** Notes that nothing is left to be tried again. */
  succeeded(): void {
    this.#failures = 0;
    this.#retry = Infinity;
    this.#notBefore = -Infinity;
  }
}
