import { systemTime, type Time } from "../kubernetes/client/retry.ts";

/** A reading serves all resources for this many milliseconds. A phase's checks take less. */
const fresh = 60_000;

/** Clusters are read once for each phase. A failure is shared too, because it may have cost a time-out. */
export class Cache<T> {
  readonly #known = new Map<string, Reading<T>>();
  readonly #outdated = new Set<string>();
  readonly #time: Pick<Time, "now">;

  constructor(time: Pick<Time, "now"> = systemTime) {
    this.#time = time;
  }

  get(key: string, read: () => Promise<T>): Promise<T> {
    return this.fresh(key) ?? this.#begin(key, undefined, read);
  }

  fresh(key: string): Promise<T> | undefined {
    const known = this.#known.get(key);
    const isFresh = known !== undefined && this.#time.now() - known.state.endedAt < fresh;
    return isFresh ? known.value : undefined;
  }

  drop(key: string): void {
    this.#known.delete(key);
  }

  /** Returns a reading that begins after this call. Calls during a reading share the next one. */
  refetch(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    return known?.state.begun === false ? known.value : this.#begin(key, known?.value, read);
  }

  /** Something was written since the reading. */
  markStale(key: string): void {
    this.#outdated.add(key);
  }

  /** Drops a reading if it is stale. */
  refresh(key: string): void {
    if (this.#outdated.delete(key)) this.#known.delete(key);
  }

  #begin(key: string, after: Promise<T> | undefined, read: () => Promise<T>): Promise<T> {
    const state = { begun: false, endedAt: Infinity };
    const begin = async () => {
      await after?.catch(() => undefined);
      state.begun = true;
      return read();
    };
    const value = begin().finally(() => {
      state.endedAt = this.#time.now();
    });
    // Prefetched readings may fail before anybody waits for them.
    value.catch(() => undefined);
    this.#known.set(key, { value, state });
    return value;
  }
}

interface Reading<T> {
  readonly value: Promise<T>;
  /** A reading under way is never old, since a large cluster may take longer to read than a reading is fresh. */
  readonly state: { readonly begun: boolean; readonly endedAt: number };
}
