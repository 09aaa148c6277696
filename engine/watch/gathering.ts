/** In milliseconds; together they decide how soon a change is acted upon. */
export interface GatheringPolicy {
  /** Without another sign before clusters are looked at. */
  readonly quiet: number;
  /** Since the first sign, however many follow. */
  readonly most: number;
}

export const gatheringPolicy: GatheringPolicy = { quiet: 1_000, most: 5_000 };

/** Gathers the signs of one change, so that a rollout is looked at once. */
export class Gathering {
  readonly #policy: GatheringPolicy;
  #first: number | undefined;
  #last = -Infinity;

  constructor(policy: GatheringPolicy = gatheringPolicy) {
    this.#policy = policy;
  }

  add(now: number): void {
    this.#first ??= now;
    this.#last = now;
  }

  /** When what has been gathered is to be acted upon; Infinity while there is nothing. */
  get due(): number {
    if (this.#first === undefined) return Infinity;
    return Math.min(this.#last + this.#policy.quiet, this.#first + this.#policy.most);
  }

  /** Begins anew; when the first sign was seen, if there has been one. */
  take(): number | undefined {
    const first = this.#first;
    this.#first = undefined;
    return first;
  }
}
