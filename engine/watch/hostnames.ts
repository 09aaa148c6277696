import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { systemTime, type Time } from "../kubernetes/client/retry.ts";

type Addresses = Readonly<Record<string, readonly string[]>>;

/** Milliseconds between two times that hostnames are resolved, and that DNS has for all of them. */
const period = 30_000;
const timeout = 10_000;

/**
 * The hostnames of gateways, with what they led to in the last dry run. Clusters don't tell of a change in
 * DNS, and mirrors lead to addresses.
 */
export class Hostnames {
  readonly #resolve: (hostnames: readonly string[]) => Promise<Addresses>;
  #known: Addresses = {};

  /** @param resolve finds the addresses of each name that DNS has an answer for, in time */
  constructor(resolve = resolveApart) {
    this.#resolve = resolve;
  }

  remember(hostnames: Addresses): void {
    this.#known = hostnames;
  }

  /** Calls `moved` for each name that leads elsewhere, until the signal is aborted. Never rejects. */
  async watch(
    moved: (name: string) => void,
    signal: AbortSignal,
    time: Time = systemTime,
  ): Promise<void> {
    for (;;) {
      await time.sleep(period, signal);
      if (signal.aborted) return;
      for (const name of await this.moved()) moved(name);
    }
  }

  /** The names that now lead elsewhere. A name that does not resolve may be DNS being away: it stays. */
  async moved(): Promise<string[]> {
    const names = Object.keys(this.#known);
    const found = names.length === 0 ? {} : await this.#resolve(names).catch((): Addresses => ({}));
    // A dry run may have been made meanwhile.
    return Object.entries(this.#known).flatMap(([name, before]) =>
      isDeepStrictEqual(new Set(found[name] ?? before), new Set(before)) ? [] : [name],
    );
  }
}

/**
 * Resolves in a process of its own, with a thread for each name: those that some target's DNS never answers
 * for keep neither other names waiting, nor what the watch reads of files.
 */
async function resolveApart(hostnames: readonly string[]): Promise<Addresses> {
  const program = fileURLToPath(new URL("./hostnames-process.ts", import.meta.url));
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(hostnames.length) };
  const told = await new Promise<string>((resolve) => {
    const options = { env, timeout, killSignal: "SIGKILL" } as const;
    // What it has told holds, even if it had to be ended.
    execFile(process.execPath, [program, ...hostnames], options, (_error, stdout) => {
      resolve(stdout);
    });
  });
  const lines = told.split("\n").filter((line) => line !== "");
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, string[]]));
}
