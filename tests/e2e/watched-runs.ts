import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { RunningWatch } from "../bed/running-watch.ts";

export const victims = ["the watch", "the CLI", "the provider", "all of them"] as const;
type Victim = (typeof victims)[number];

interface Running {
  readonly pid: number;
  readonly line: string;
}

export class WatchedRuns {
  readonly #folder: string;
  readonly #stack: string;

  constructor(folder: string, stack: string) {
    this.#folder = folder;
    this.#stack = stack;
  }

  async history(): Promise<number> {
    const files = await this.#files("pulumi-state", ".pulumi", "history");
    return files.filter((file) => this.#isOfStack(file) && file.endsWith(".history.json")).length;
  }

  async locks(): Promise<string[]> {
    const files = await this.#files("pulumi-state", ".pulumi", "locks");
    return files.filter((file) => this.#isOfStack(file) && file.endsWith(".json"));
  }

  /** Returns the records and output of runs that have not ended. */
  async records(): Promise<string[]> {
    const files = await this.#files("watch-state");
    return files.filter((file) => /\/(run\.json|stdout|stderr)$/.test(file));
  }

  /**
   * Returns the processes that runs of a watch have started. The language host is left out: one
   * whose CLI was killed idles until it notices, within five minutes.
   */
  async started(): Promise<Running[]> {
    const all = await running("PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true", this.#folder);
    return all.filter(({ line }) => !line.includes("pulumi-language-nodejs"));
  }

  async hasProvider(): Promise<boolean> {
    return (await this.started()).some(isProvider);
  }

  async kill(whom: Victim, watch: RunningWatch): Promise<void> {
    const all = await this.started();
    const pids = (those: readonly Running[]) => those.map(({ pid }) => pid);
    const chosen = {
      "the watch": () => [watch.pid],
      "the CLI": () => pids(all.filter(({ line }) => line.startsWith("pulumi up "))),
      "the provider": () => pids(all.filter(isProvider)),
      "all of them": () => [watch.pid, ...pids(all)],
    };
    for (const pid of chosen[whom]())
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // The process has ended by itself.
      }
  }

  async #files(...path: readonly string[]): Promise<string[]> {
    return readdir(join(this.#folder, ...path), { recursive: true }).catch(() => []);
  }

  /** A stack's files in the backend are named after it or in a folder of its name. */
  #isOfStack(file: string): boolean {
    return file.includes(this.#stack);
  }
}

/** Returns the processes whose environment has all of these words. */
export async function running(...words: readonly string[]): Promise<Running[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (file: string) => readFile(join("/proc", pid, file), "utf8").catch(() => "");
      const environment = await read("environ");
      if (!words.every((word) => environment.includes(word))) return [];
      // It is empty for a zombie.
      const line = (await read("cmdline")).replaceAll("\0", " ");
      return line === "" ? [] : [{ pid: Number(pid), line }];
    }),
  );
  return found.flat();
}

export function isProvider({ line }: Running): boolean {
  return line.includes("cmd/dynamic-provider");
}
