/** Milliseconds: without another sign before clusters are looked at, and since the first one at most. */
const quiet = 1_000;
const most = 5_000;

/** How many looks a cluster that is never quiet may cause, and then one in so many milliseconds. */
const looks = 30;
const pause = 30_000;

/**
 * Gathers the signs of one change, so that a rollout is looked at once. Each cluster has looks of its
 * own to spend: one that never stops changing does not have all of them read without end, nor do the
 * changes of others wait for it.
 */
export class Gathering {
  readonly #signs = new Map<string, { readonly first: number; readonly last: number }>();
  /** By cluster: when all the looks that it has spent are its own again. */
  readonly #restored = new Map<string, number>();

  add(cluster: string, now: number): void {
    const first = this.#signs.get(cluster)?.first ?? now;
    this.#signs.set(cluster, { first, last: now });
  }

  /** When what has been gathered is to be acted upon; Infinity while there is nothing. */
  get due(): number {
    const dues = [...this.#signs].map(([cluster, { first, last }]) => {
      const mayLook = (this.#restored.get(cluster) ?? 0) - (looks - 1) * pause;
      return Math.max(Math.min(last + quiet, first + most), mayLook);
    });
    return Math.min(...dues);
  }

  /** Begins anew; when the first sign was seen, if there has been one. */
  take(now: number): number | undefined {
    const first = Math.min(...[...this.#signs.values()].map((sign) => sign.first));
    for (const cluster of this.#signs.keys())
      this.#restored.set(cluster, Math.max(this.#restored.get(cluster) ?? now, now) + pause);
    this.#signs.clear();
    return first === Infinity ? undefined : first;
  }
}
