/** Bytes that a value takes besides the text in it, in about. */
const each = 64;

/**
 * What is kept of the lists of a cluster, so that a large one takes no more memory than is needed: values that many
 * objects have in common, like their account of who has set what, are there once.
 */
export class Keep {
  /** In about: of memory, and so of what came, since not all of it is kept. */
  bytes = 0;
  readonly #shared = new Map<string, unknown>();

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
