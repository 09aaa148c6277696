/** Requests that clients in pods send all the time, and their results. */
import assert from "node:assert/strict";
import { rename, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { until } from "../../bed/bed.ts";

export interface Target {
  readonly name: string;
  readonly authority: string;
  /** These replace the address and port of the name. */
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
}

export interface Answer {
  /** `<cluster>/<pod>` of the pod that answers. */
  readonly pod: string;
  /** The client's identity, according to the pod's proxy. */
  readonly identity?: string;
  /** The client for whom a gateway asks, according to the gateway. */
  readonly origin?: string;
}

/** Milliseconds that a client waits for an answer. */
export const patience = 10_000;

/** Without an answer, `problem` says why. */
export interface Result extends Partial<Answer> {
  /** `<cluster>/<pod>` of the client. */
  readonly client: string;
  readonly target: string;
  /** When the request was sent, in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  readonly problem?: string;
}

/** The requests to a target in some time. */
interface Tally {
  readonly sent: number;
  readonly failed: readonly Result[];
  /** The pods that answered, as `<cluster>/<pod>`. */
  readonly pods: ReadonlySet<string>;
  /** The number of answers from each cluster. */
  readonly clusters: ReadonlyMap<string, number>;
  readonly identities: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

export type Tallies = ReadonlyMap<string, Tally>;

export class Stream {
  readonly targetsFile: string;
  readonly resultsFile: string;
  readonly #targets = new Map<string, Target>();

  private constructor(folder: string, name: string) {
    this.targetsFile = join(folder, `${name}.targets.json`);
    this.resultsFile = join(folder, `${name}.results.jsonl`);
  }

  static async create(folder: string, name: string): Promise<Stream> {
    const stream = new Stream(folder, name);
    await writeFile(stream.resultsFile, "");
    await stream.#write();
    return stream;
  }

  async add(target: Target): Promise<void> {
    this.#targets.set(target.name, target);
    await this.#write();
  }

  async remove(name: string): Promise<void> {
    this.#targets.delete(name);
    await this.#write();
  }

  /** Returns the results of requests that were sent during an action and until each target got one more. */
  async during(action: () => Promise<unknown>): Promise<Tallies> {
    const since = Date.now();
    await action();
    return this.since(since);
  }

  /** Returns the results of so many more requests to each target. */
  next(times: number): Promise<Tallies> {
    return this.during(() => this.asked(times));
  }

  async since(start: number): Promise<Tallies> {
    const end = Date.now();
    const names = [...this.#targets.keys()];
    await Promise.all(names.map((name) => this.#asked(name, end)));
    const results = (await this.#read()).filter(({ at }) => at >= start);
    return new Map(
      names.map((name) => [name, sum(results.filter(({ target }) => target === name))] as const),
    );
  }

  /** Returns once each target has been asked so many times more. */
  async asked(times: number): Promise<void> {
    const start = Date.now();
    await until(`${times} requests to each target`, [], async () => {
      const tallies = await this.since(start);
      return [...tallies.values()].every(({ sent }) => sent >= times) || undefined;
    });
  }

  /** Returns once a request to the target is answered that was sent from now on. */
  async answered(name: string): Promise<void> {
    const since = Date.now();
    await until(`an answer of ${name}`, [], async () => {
      const results = await this.#read();
      const own = results.filter(({ target, at }) => target === name && at >= since);
      if (own.some(({ pod }) => pod !== undefined)) return true;
      const problem = own.at(-1)?.problem;
      if (problem !== undefined) throw new Error(problem);
      return undefined;
    });
  }

  /** Returns once a request to the target has failed that was sent from now on. */
  async failed(name: string): Promise<void> {
    const since = Date.now();
    await until(`a request to ${name} that fails`, [], async () => {
      const tally = (await this.since(since)).get(name);
      return (tally !== undefined && tally.failed.length > 0) || undefined;
    });
  }

  /** Returns once no request to the target has failed for as long as a client waits for an answer. */
  async settled(name: string): Promise<void> {
    await until(`requests to ${name} that do not fail`, [], async () => {
      const tally = (await this.since(Date.now() - patience)).get(name);
      return tally?.failed.length === 0 || undefined;
    });
  }

  async #asked(name: string, since: number): Promise<void> {
    await until(`a request to ${name}`, [], async () => {
      const results = await this.#read();
      return results.some(({ target, at }) => target === name && at >= since) || undefined;
    });
  }

  async #read(): Promise<readonly Result[]> {
    const text = await readFile(this.resultsFile, "utf8");
    const lines = text.slice(0, text.lastIndexOf("\n") + 1).trimEnd();
    return lines === "" ? [] : lines.split("\n").map((line) => JSON.parse(line) as Result);
  }

  /** Replaces the file at once, so that clients never read a part of it. */
  async #write(): Promise<void> {
    await writeFile(`${this.targetsFile}.next`, JSON.stringify([...this.#targets.values()]));
    await rename(`${this.targetsFile}.next`, this.targetsFile);
  }
}

function sum(results: readonly Result[]): Tally {
  return {
    sent: results.length,
    failed: results.filter(({ pod }) => pod === undefined),
    pods: new Set(results.flatMap(({ pod }) => pod ?? [])),
    clusters: new Map(
      [...Map.groupBy(results, ({ pod }) => pod?.replace(/\/.*/, "") ?? "")].map(([name, own]) => {
        return [name, own.length] as const;
      }),
    ),
    identities: new Set(results.flatMap(({ identity }) => identity ?? [])),
    origins: new Set(results.flatMap(({ origin }) => origin ?? [])),
  };
}

/** Returns the pods that answered for a target, sorted. */
export function podsOf(tallies: Tallies, target: string): readonly string[] {
  return [...tallyOf(tallies, target).pods].sort();
}

/** @throws Error for a target without requests */
export function tallyOf(tallies: Tallies, target: string): Tally {
  const tally = tallies.get(target);
  if (tally === undefined) throw new Error(`Nobody asks ${target}.`);
  return tally;
}

/** @param except lists targets whose requests may fail */
export function assertNoneFailed(tallies: Tallies, ...except: readonly string[]): void {
  const own = [...tallies].filter(([target]) => !except.includes(target));
  const failed = own.flatMap(([target, tally]) =>
    tally.failed.map(({ problem }) => `${target}: ${problem ?? ""}`),
  );
  assert.ok([...tallies.values()].some(({ sent }) => sent > 0));
  assert.deepEqual([...new Set(failed)], []);
}

/** Returns a line for each target. */
export function summaryOf(tallies: Tallies): readonly string[] {
  return [...tallies].map(
    ([target, { sent, failed }]) => `${target}: ${sent} requests, ${failed.length} failed`,
  );
}
