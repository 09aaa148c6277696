/** Bytes that a value takes besides the text in it, in about. */
const each = 64;

/**
 * Counts what is kept of a cluster's lists, and keeps once what many objects have in common, like their labels.
 */
export class SharedValues {
  /** Bytes of memory, in about; of what came, there may be more. */
  bytes = 0;
  readonly #shared = new Map<string, unknown>();

  /** Bytes that may be kept, where that is not what a client allows for a cluster. */
  readonly most: number | undefined;

  constructor(most?: number) {
    this.most = most;
  }

  /** @param length of text */
  take(length = 0): void {
    this.bytes += length + each;
  }

  /**
   * The value, or one equal to it that has come before.
   *
   * @param before the bytes that were kept before it
   */
  once(value: unknown, before: number): unknown {
    const text = JSON.stringify(value);
    const known = this.#shared.get(text);
    if (known !== undefined) {
      this.bytes = before;
      return known;
    }
    this.#shared.set(text, value);
    this.take(text.length);
    return value;
  }
}
