import { lookup } from "node:dns/promises";
import { isDeepStrictEqual } from "node:util";

export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * The hostnames of gateways, with what they led to when clusters were last looked at. Clusters don't
 * tell of a change in DNS, and mirrors lead to addresses.
 */
export class Hostnames {
  readonly #resolve: Resolve;
  #known: Readonly<Record<string, readonly string[]>> = {};

  constructor(resolve: Resolve = addressesOf) {
    this.#resolve = resolve;
  }

  remember(hostnames: Readonly<Record<string, readonly string[]>>): void {
    this.#known = hostnames;
  }

  /** The names that now lead elsewhere. A name that does not resolve may be DNS being away: it stays. */
  async moved(): Promise<string[]> {
    const found = await Promise.all(
      Object.entries(this.#known).map(async ([hostname, before]) => {
        const now = await this.#resolve(hostname).catch(() => undefined);
        const isSame = now === undefined || isDeepStrictEqual(sorted(now), sorted(before));
        return isSame ? [] : [hostname];
      }),
    );
    return found.flat();
  }
}

async function addressesOf(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function sorted(addresses: readonly string[]): string[] {
  return [...new Set(addresses)].sort();
}
