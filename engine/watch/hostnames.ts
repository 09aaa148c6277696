import { fork } from "node:child_process";
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";

/** The addresses of each name that DNS has an answer for, in time. */
export type Resolve = (
  hostnames: readonly string[],
) => Promise<Readonly<Record<string, readonly string[]>>>;

/** Milliseconds that DNS is given to resolve all of them. */
const timeout = 10_000;

/**
 * The hostnames of gateways, with what they led to when clusters were last looked at. Clusters don't
 * tell of a change in DNS, and mirrors lead to addresses.
 */
export class Hostnames {
  readonly #resolve: Resolve;
  #known: Readonly<Record<string, readonly string[]>> = {};

  constructor(resolve: Resolve = resolveApart) {
    this.#resolve = resolve;
  }

  remember(hostnames: Readonly<Record<string, readonly string[]>>): void {
    this.#known = hostnames;
  }

  /** The names that now lead elsewhere. A name that does not resolve may be DNS being away: it stays. Never rejects. */
  async moved(): Promise<string[]> {
    const hostnames = Object.keys(this.#known);
    const found: Awaited<ReturnType<Resolve>> =
      hostnames.length === 0 ? {} : await this.#resolve(hostnames).catch(() => ({}));
    // A look may have been made meanwhile.
    return Object.entries(this.#known).flatMap(([hostname, before]) => {
      const now = found[hostname] ?? before;
      return isDeepStrictEqual(sorted(now), sorted(before)) ? [] : [hostname];
    });
  }
}

/**
 * In a process of its own, with a thread for each name: those that some target's DNS never answers for
 * keep neither other names waiting, nor what the watch reads of files.
 */
async function resolveApart(
  hostnames: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {};
  const child = fork(new URL("./hostnames-process.ts", import.meta.url), hostnames, {
    ...{ detached: true, timeout, killSignal: "SIGKILL" },
    env: { ...process.env, UV_THREADPOOL_SIZE: String(hostnames.length) },
  });
  child.on("message", ([hostname, addresses]: [string, readonly string[]]) => {
    found[hostname] = addresses;
  });
  // Not its exit, which may come before its last answer.
  await once(child, "close");
  return found;
}

function sorted(addresses: readonly string[]): string[] {
  return [...new Set(addresses)].sort();
}
