import type { ChildProcess } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, hostname } from "node:os";
import { dirname, join } from "node:path";
import type { Inputs } from "@linkerd-multicluster/engine/mirroring";
import type { Observer, RunEnd } from "./events.ts";
import { isPulumi, judge, type Lock, locksIn, type RunRecord } from "./lock.ts";
import { outputIn, pulumi, type RunLocation, startRun } from "./pulumi.ts";
import { stackStateIn } from "./stack-state.ts";

export interface StackRunsSettings extends RunLocation {
  readonly observe: Observer;
}

/**
 * Runs a stack by Pulumi's CLI, from PATH, and clears the lock that a run of a killed watch has left.
 *
 * Each run has a folder until it has come to its end, with what it prints and a record of its process. These
 * are not with the program, which may be read-only, and not in a temporary folder, which is cleaned up.
 */
export class StackRuns {
  readonly #settings: StackRunsSettings;
  /** Tells the stack from others on this machine. */
  readonly #id: string;
  readonly #folder: string;
  #isInterrupted = false;
  #running: ChildProcess | undefined;
  /** The URN of each source's mirrors in the state. */
  #urns: ReadonlyMap<string, string> = new Map();

  constructor(settings: StackRunsSettings) {
    const { folder, stack, variables } = settings;
    const { PULUMI_STACK = "", PULUMI_BACKEND_URL = "", XDG_STATE_HOME = "" } = variables;
    this.#settings = settings;
    // As far as its name is known here: one that is selected has none.
    const name = [folder, stack ?? PULUMI_STACK, PULUMI_BACKEND_URL].join("\n");
    this.#id = createHash("sha256").update(name).digest("hex").slice(0, 16);
    const states = XDG_STATE_HOME || join(homedir(), ".local", "state");
    this.#folder = join(states, "linkerd-multicluster", "watch", this.#id);
  }

  /** Reads the inputs of every `linkerd:Mirrors` in the state. @throws Error with a sentence for the user */
  async sources(): Promise<readonly Inputs[]> {
    const { mirrors, expiries } = stackStateIn(await pulumi(["stack", "export"], this.#settings));
    this.#settings.observe({ event: "expiries", certificates: expiries });
    this.#urns = new Map([...mirrors].map(([urn, { source }]) => [source, urn]));
    return [...mirrors.values()];
  }

  /** Takes no lock and leaves no history. The mirrors of `excluded` sources are left as they are. */
  preview(excluded: readonly string[]): Promise<RunEnd> {
    return this.#run(["preview"], excluded);
  }

  async up(excluded: readonly string[]): Promise<RunEnd> {
    const run = () => this.#run(["up", "--yes", "--skip-preview"], excluded);
    let end = await run();
    const locks = locksIn(end.why ?? "");
    if (locks !== undefined) {
      const about = locks.map(({ text }) => text).join(", ");
      const why = {
        running: `a run that a watch has begun still goes on: ${about}`,
        foreign: `it is locked by ${about}, which is not this watch's; if its process is gone, clear the lock with pulumi cancel`,
        contended: `another watch clears its lock: ${about}`,
        stale: undefined,
      }[await this.#clear(locks)];
      if (why !== undefined) return { ...end, why };
      this.#settings.observe({ event: "lockCleared", lock: about });
      end = await run();
    }
    // It has held the lock, so no run before it has left one.
    if (end.result === "succeeded") this.#removeEnded();
    return end;
  }

  /** Ends the run under way well, called once, and at once, called again, as Ctrl-C does. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#running?.kill("SIGINT");
  }

  async #run(command: readonly string[], excluded: readonly string[]): Promise<RunEnd> {
    if (this.#isInterrupted) return { result: "cancelled", changes: 0 };
    const folder = join(this.#folder, randomUUID());
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const printed = [join(folder, "stdout"), join(folder, "stderr")] as const;
    const urns = excluded.flatMap((source) => this.#urns.get(source) ?? []);
    const words = [...command, ...urns.flatMap((urn) => ["--exclude", urn])];
    const { child, pid } = await startRun(words, this.#settings, printed).catch(
      (error: unknown) => {
        rmSync(folder, { recursive: true });
        throw error;
      },
    );
    // At once: until then, nobody could tell whose lock it takes.
    const record: RunRecord = { host: hostname(), pid, at: Date.now() };
    writeFileSync(join(folder, "run.json"), JSON.stringify(record), { mode: 0o600 });
    this.#running = child;
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals];
    this.#running = undefined;
    const { changes, errors, stderr } = await outputIn(printed);
    // One that was killed may have left its lock, which only the record proves to be ours.
    if (code !== null) rmSync(folder, { recursive: true, force: true });
    if (code === 0) return { result: "succeeded", changes };
    if (this.#wasInterrupted()) return { result: "cancelled", changes };
    const text = [...errors, stderr].filter((each) => each !== "").join("; ");
    if (locksIn(text) !== undefined) return { result: "locked", changes, why: text };
    const by = code === null ? signal : `exit code ${code}`;
    const why = errors.join("; ") || stderr || `pulumi ended with ${by}`;
    return { result: "failed", changes, why };
  }

  /**
   * Clears stale locks. Of two watches that have found the same lock, the second would clear that of the
   * run which follows. So they do it one after the other, and the second finds no record any more. A name
   * of the kernel's stands for whose turn it is, since it goes with its process.
   */
  async #clear(locks: readonly Lock[]): Promise<ReturnType<typeof judge> | "contended"> {
    const turn = createServer().listen(`\0linkerd-multicluster-${this.#id}`);
    try {
      await once(turn, "listening");
    } catch {
      return "contended";
    }
    try {
      const verdict = judge(locks, [...this.#records().values()], hostname(), isPulumi);
      if (verdict !== "stale") return verdict;
      await pulumi(["cancel", "--yes"], this.#settings);
      this.#removeEnded();
      return verdict;
    } finally {
      turn.close();
    }
  }

  /** Removes the records of runs that were killed, once the stack has no lock of theirs any more. */
  #removeEnded(): void {
    for (const [folder, { pid, host }] of this.#records())
      if (host === hostname() && !isPulumi(pid)) rmSync(folder, { recursive: true, force: true });
  }

  /** By their folders. */
  #records(): ReadonlyMap<string, RunRecord> {
    const files = globSync("*/run.json", { cwd: this.#folder });
    const records = files.flatMap((name): readonly (readonly [string, RunRecord])[] => {
      const file = join(this.#folder, name);
      try {
        return [[dirname(file), JSON.parse(readFileSync(file, "utf8")) as RunRecord]];
      } catch {
        // Removed meanwhile, or not written to its end: of no use as a proof.
        return [];
      }
    });
    return new Map(records);
  }

  /** A function, as it changes while a run is waited for. */
  #wasInterrupted(): boolean {
    return this.#isInterrupted;
  }
}
