/** A value takes approximately this many bytes besides its text. */
const overhead = 64;

/** Counts the bytes that are kept of a cluster's lists, and keeps values once that many objects have in common. */
export class SharedValues {
  /** The memory is estimated, and may be less than what was received. */
  bytes = 0;
  readonly #shared = new Map<string, unknown>();

  /** The default is the client's limit of bytes for a cluster. */
  readonly most: number | undefined;

  constructor(most?: number) {
    this.most = most;
  }

  take(textLength = 0): void {
    this.bytes += textLength + overhead;
  }

  /** Returns an equal value that is known already, and then takes the bytes back to `before`. */
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
