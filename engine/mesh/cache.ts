import { systemTime, type Time } from "../kubernetes/client/retry.ts";

/** Milliseconds for which a reading serves all resources. A phase's checks take less. */
const fresh = 60_000;

/**
 * Everybody in the process shares these readings, so that clusters are read once for each phase and
 * not once for each resource. A failure is shared too: an unreachable cluster costs its time-out
 * once.
 */
export class Cache<T> {
  readonly #known = new Map<string, Reading<T>>();
  readonly #outdated = new Set<string>();
  readonly #time: Pick<Time, "now">;

  constructor(time: Pick<Time, "now"> = systemTime) {
    this.#time = time;
  }

  /** Returns the current reading, or else begins one. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    if (known !== undefined && this.#time.now() - known.endedAt < fresh) return known.value;
    return this.#begin(key, undefined, read);
  }

  /**
   * Returns a reading that begins after this call. Calls during a reading share the next one, so that a mesh
   * under construction is not read once for each of its resources.
   */
  refetch(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    return known?.begun === false ? known.value : this.#begin(key, known?.value, read);
  }

  /** Marks a reading as stale, because something was written since. */
  markStale(key: string): void {
    this.#outdated.add(key);
  }

  /** Drops a stale reading, so that the next one starts again. */
  refresh(key: string): void {
    if (this.#outdated.delete(key)) this.#known.delete(key);
  }

  #begin(key: string, after: Promise<T> | undefined, read: () => Promise<T>): Promise<T> {
    const reading = new Reading(after, read, this.#time);
    // Prefetched readings may fail before anybody waits for them.
    reading.value.catch(() => undefined);
    this.#known.set(key, reading);
    return reading.value;
  }
}

class Reading<T> {
  begun = false;
  /** A reading under way is never old: a large cluster may take longer to read than a reading is fresh. */
  endedAt = Infinity;
  readonly value: Promise<T>;

  constructor(after: Promise<T> | undefined, read: () => Promise<T>, time: Pick<Time, "now">) {
    this.value = this.#read(after, read).finally(() => {
      this.endedAt = time.now();
    });
  }

  async #read(after: Promise<T> | undefined, read: () => Promise<T>): Promise<T> {
    await after?.catch(() => undefined);
    this.begun = true;
    return read();
  }
}
