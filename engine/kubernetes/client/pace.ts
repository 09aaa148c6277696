import pLimit from "p-limit";

/** Bounds of how many requests one API server gets at a time. */
export interface PacePolicy {
  /** At first, and never more than `most`. */
  readonly first: number;
  readonly most: number;
  /** The least that slow answers make of it; refusals go down to a single one. */
  readonly leastForSlow: number;
  /** A round of answers that took this many times as long as the fastest round is slow. */
  readonly slow: number;
  /** Milliseconds: no round that is faster counts as slow. */
  readonly unnoticed: number;
}

export const pacePolicy: PacePolicy = {
  ...{ first: 8, most: 32, leastForSlow: 8, slow: 4, unnoticed: 20 },
};

/** The signs in an answer of how busy its server is. */
export interface PaceSign {
  /** 429, or 503 with a time to wait for. */
  readonly refused: boolean;
  /** Its duration, if it is comparable with others. */
  readonly milliseconds?: number;
}

/**
 * Calls of one API server, as many at a time as it bears; the others wait for their turn. As in TCP, there is one more
 * after each round of answers, and half as many when the server refuses some. When it becomes slow, which others feel as
 * well, there are a fifth less. A round is as many answers as there were requests in flight.
 */
export class Pace {
  readonly #policy: PacePolicy;
  readonly #turns: ReturnType<typeof pLimit>;
  #answers = 0;
  #timed = 0;
  #total = 0;
  /** Mean of the fastest round, in milliseconds. */
  #fastest = Infinity;
  /** True once the limit was halved in this round: what is refused together counts once. */
  #halved = false;

  constructor(policy: PacePolicy = pacePolicy) {
    this.#policy = policy;
    this.#turns = pLimit(Math.min(policy.first, policy.most));
  }

  /** The most that are in flight. */
  get limit(): number {
    return this.#turns.concurrency;
  }

  run<T>(call: () => Promise<T>): Promise<T> {
    return this.#turns(call);
  }

  answered({ refused, milliseconds }: PaceSign): void {
    if (refused && !this.#halved) {
      this.#halved = true;
      this.#turns.concurrency = Math.max(1, Math.floor(this.limit / 2));
      // A round with those that are under way still, which were sent before.
      this.#answers = -this.limit;
    }
    if (milliseconds !== undefined && !refused) {
      this.#timed += 1;
      this.#total += milliseconds;
    }
    this.#answers += 1;
    if (this.#answers >= this.limit) this.#endRound();
  }

  #endRound(): void {
    const { most, leastForSlow, slow, unnoticed } = this.#policy;
    const mean = this.#timed === 0 ? 0 : this.#total / this.#timed;
    const isSlow = mean > Math.max(unnoticed, slow * this.#fastest);
    if (this.#timed > 0) this.#fastest = Math.min(this.#fastest, mean);
    if (isSlow && this.limit > leastForSlow)
      this.#turns.concurrency = Math.max(leastForSlow, Math.floor(this.limit * 0.8));
    else if (!this.#halved && !isSlow) this.#turns.concurrency = Math.min(most, this.limit + 1);
    this.#answers = this.#timed = this.#total = 0;
    this.#halved = false;
  }
}
