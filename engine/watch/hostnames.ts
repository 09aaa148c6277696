import { isDeepStrictEqual } from "node:util";

export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * The hostnames of gateways, with what they led to when clusters were last looked at. Clusters don't
 * tell of a change in DNS, and mirrors lead to addresses.
 */
export class Hostnames {
  readonly #resolve: Resolve;
  #known = new Map<string, readonly string[]>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** Forgets all names: those that are still in use are asked for again by the look that follows. */
  begin(): void {
    this.#known = new Map();
  }

  /** As `resolve`; remembers what it returns. */
  async resolve(hostname: string): Promise<readonly string[]> {
    this.#known.set(hostname, []);
    const addresses = await this.#resolve(hostname);
    this.#known.set(hostname, sorted(addresses));
    return addresses;
  }

  /** The names that now lead elsewhere. A name that does not resolve may be DNS being away: it stays. */
  async moved(): Promise<string[]> {
    const found = await Promise.all(
      [...this.#known].map(async ([hostname, before]) => {
        const now = await this.#resolve(hostname).catch(() => undefined);
        return now === undefined || isDeepStrictEqual(sorted(now), before) ? [] : [hostname];
      }),
    );
    return found.flat();
  }
}

function sorted(addresses: readonly string[]): string[] {
  return [...new Set(addresses)].sort();
}
