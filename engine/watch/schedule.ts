import { backoff, type Backoff, type Time } from "../kubernetes/retry.ts";
import { Gathering } from "./gathering.ts";

/** Milliseconds until a run that failed is tried again. */
const failureBackoff: Backoff = { first: 5_000, longest: 300_000 };

/** The most of them that a sign from a cluster has to wait: one failure does not stop the rest. */
const eventsWait = 30_000;

type Step = "resync" | "retry" | "look" | { readonly wait: number };

/** When the next thing is to be done, on the clock of `Time`; it begins with everything. */
export class Schedule {
  readonly #every: number;
  readonly #time: Time;
  readonly #gathering = new Gathering();
  #failures = 0;
  /** When a run that failed is tried again; Infinity: none has. */
  #retry = Infinity;
  /** Before that, no sign from a cluster leads to a look: a run has just failed. */
  #notBefore = -Infinity;
  #resync = -Infinity;
  /** When something is due that no cluster tells of. */
  #due = Infinity;

  /** @param every milliseconds between two runs that see to everything, and not to mirrors alone */
  constructor(every: number, time: Time) {
    this.#every = every;
    this.#time = time;
  }

  /** What to do now, or how long to wait for it. */
  next(): Step {
    const now = this.#time.now();
    if (this.#resync <= now) return "resync";
    if (this.#retry <= now) return "retry";
    const look = Math.min(this.#due, Math.max(this.#gathering.due, this.#notBefore));
    if (look <= now) return "look";
    return { wait: Math.min(this.#resync, this.#retry, look) - now };
  }

  /** Something has changed in a cluster. */
  gather(cluster: string): void {
    this.#gathering.add(cluster, this.#time.now());
  }

  /** What has been gathered is looked at now; when the first sign was seen, if there has been one. */
  take(): number | undefined {
    this.#due = Infinity;
    return this.#gathering.take(this.#time.now());
  }

  /** In so many milliseconds something is to be looked at, whatever clusters tell. */
  lookIn(milliseconds: number): void {
    this.#due = this.#time.now() + milliseconds;
  }

  /** Everything is seen to now. Many watches that start together do not stay together. */
  resync(): void {
    this.#resync = this.#time.now() + this.#every * (0.95 + this.#time.random() / 10);
  }

  /** Milliseconds. */
  get untilResync(): number {
    return this.#resync - this.#time.now();
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** A run, or what leads to one, has failed; milliseconds until it is tried again. */
  fail(): number {
    this.#failures += 1;
    const wait = backoff(this.#failures, failureBackoff, this.#time);
    const now = this.#time.now();
    this.#retry = now + wait;
    this.#notBefore = now + Math.min(wait, eventsWait);
    return wait;
  }

  /** Nothing is left to be tried again. */
  calm(): void {
    this.#failures = 0;
    this.#retry = Infinity;
    this.#notBefore = -Infinity;
  }
}
