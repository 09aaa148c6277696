/** A value takes approximately this many bytes besides its text. */
const overhead = 64;

/** An object of at most this many bytes is never curtailed. */
const small = 8 * 2 ** 10;

/** The memory that the objects of a namespace take. */
interface Space {
  bytes: number;
  /** Objects that aren't small. `curtail` returns the bytes that are left of one. */
  large: { bytes: number; texts: readonly string[]; curtail: () => number }[];
}

/**
 * Counts the bytes that are kept of a cluster's lists, and keeps values once that many objects have in common. Whoever
 * may write in a single namespace could use up all of it, so the namespace that takes most makes room for the others:
 * of its large objects, only heads are kept.
 */
export class SharedValues {
  /** The memory is estimated, and may be less than what was received. */
  bytes = 0;
  readonly #shared = new Map<string, unknown>();
  readonly #spaces = new Map<string, Space>();
  /** Since `begin`. */
  #texts: string[] = [];

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
    this.#texts.push(text);
    this.take(text.length);
    return value;
  }

  /** Returns the bytes before an object, for `hold`. */
  begin(): number {
    this.#texts = [];
    return this.bytes;
  }

  /** @param headOf undefined if the object is always kept whole */
  hold(
    namespace: string,
    object: object,
    before: number,
    headOf: (() => unknown) | undefined,
  ): void {
    const space = this.#spaces.get(namespace) ?? { bytes: 0, large: [] };
    this.#spaces.set(namespace, space);
    const bytes = this.bytes - before;
    space.bytes += bytes;
    if (bytes <= small || headOf === undefined) return;
    const curtail = () => {
      const head = headOf();
      for (const field of Object.keys(object)) Reflect.deleteProperty(object, field);
      Object.assign(object, head);
      return 2 * JSON.stringify(head).length;
    };
    space.large.push({ bytes, texts: this.#texts, curtail });
  }

  /** Returns the namespace that takes most if there is no room for it within so many bytes. */
  makeRoom(most: number): string | undefined {
    const sizeOf = ({ large }: Space) => large.reduce((sum, { bytes }) => sum + bytes, 0);
    while (this.bytes > most) {
      const [largest] = [...this.#spaces.values()].sort((a, b) => sizeOf(b) - sizeOf(a));
      if (largest === undefined || largest.large.length === 0) return this.#mostOf();
      for (const { bytes, texts, curtail } of largest.large) {
        const freed = bytes - curtail();
        for (const text of texts) this.#shared.delete(text);
        this.bytes -= freed;
        largest.bytes -= freed;
      }
      largest.large = [];
    }
    return undefined;
  }

  #mostOf(): string {
    const [most] = [...this.#spaces].sort(([, a], [, b]) => b.bytes - a.bytes);
    return most?.[0] ?? "";
  }
}
