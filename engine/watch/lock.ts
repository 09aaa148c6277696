import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, hostname } from "node:os";
import { dirname, join } from "node:path";
import { codeOf } from "../kubernetes/objects/plain.ts";

/** A process of Pulumi's CLI that a watch has started, by which its lock is known again. */
interface RunRecord {
  readonly host: string;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A lock of a stack, as Pulumi's backends of one's own describe it: `user@host (pid 1) at <time>`. */
export interface Lock extends RunRecord {
  readonly text: string;
}

/** The locks on which a run has failed; undefined: it has failed for another reason. */
export function locksIn(text: string): readonly Lock[] | undefined {
  // Pulumi's own words, by which its Automation API knows it too.
  if (!text.includes("the stack is currently locked by")) return undefined;
  return text.split("created by ").flatMap((words) => {
    const [found, host = "", pid, at = ""] =
      /^(?:[^@\n]*@)+([^\s@]+) \(pid (\d+)\) at (\S+)/.exec(words) ?? [];
    return found === undefined ? [] : [{ host, pid: Number(pid), at: Date.parse(at), text: found }];
  });
}

/** Milliseconds from the start of the CLI until it locks the stack, by a clock of whole seconds. */
const soonest = -2_000;
const latest = 300_000;

/**
 * Judges the locks of a stack. `stale`: runs of a watch have left them and are gone. `running`: such a run
 * goes on. `foreign`: one of them can't be proved to be a watch's. Clearing takes them all.
 */
export function judge(
  locks: readonly Lock[],
  records: readonly RunRecord[],
  host: string,
  isRunning: (pid: number) => boolean,
): "stale" | "running" | "foreign" {
  const isOfWatch = (lock: Lock) =>
    records.some((run) => {
      const isSame = run.host === host && lock.host === host && run.pid === lock.pid;
      return isSame && lock.at - run.at >= soonest && lock.at - run.at <= latest;
    });
  if (locks.length === 0 || !locks.every(isOfWatch)) return "foreign";
  return locks.some(({ pid }) => isRunning(pid)) ? "running" : "stale";
}

/**
 * Records of a stack's runs: a folder for each that has not come to its end. They are not with the
 * program, which may be read-only, and not in a temporary folder, which is cleaned up.
 */
export class RunRecords {
  readonly #id: string;
  readonly #folder: string;

  constructor(stack: string, { XDG_STATE_HOME: state = "" }: NodeJS.ProcessEnv) {
    this.#id = createHash("sha256").update(stack).digest("hex").slice(0, 16);
    const base = state === "" ? join(homedir(), ".local", "state") : state;
    this.#folder = join(base, "linkerd-multicluster", "watch", this.#id);
  }

  /** Makes the folder of a new run. */
  create(): string {
    const folder = join(this.#folder, randomUUID());
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Notes at once which process it is: until then, nobody could tell whose lock that takes. */
  add(folder: string, pid: number): void {
    const record: RunRecord = { host: hostname(), pid, at: Date.now() };
    writeFileSync(join(folder, "run.json"), JSON.stringify(record), { mode: 0o600 });
  }

  remove(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
  }

  /** Removes the records of runs that were killed, once the stack has no lock of theirs any more. */
  removeEnded(): void {
    for (const [folder, { pid, host }] of this.#all())
      if (host === hostname() && !isPulumi(pid)) this.remove(folder);
  }

  /**
   * Clears stale locks. Of two watches that have found the same lock, the second would clear that of the
   * run which follows. So they do it one after the other, and the second finds no record any more. A name
   * of the kernel's stands for whose turn it is, since it goes with its process.
   */
  async clear(
    locks: readonly Lock[],
    cancel: () => Promise<unknown>,
  ): Promise<ReturnType<typeof judge> | "contended"> {
    const turn = createServer().listen(`\0linkerd-multicluster-${this.#id}`);
    try {
      await once(turn, "listening");
    } catch {
      return "contended";
    }
    try {
      const verdict = judge(locks, [...this.#all().values()], hostname(), isPulumi);
      if (verdict !== "stale") return verdict;
      await cancel();
      this.removeEnded();
      return verdict;
    } finally {
      turn.close();
    }
  }

  #all(): ReadonlyMap<string, RunRecord> {
    const records = globSync("*/run.json", { cwd: this.#folder }).flatMap((name) => {
      const file = join(this.#folder, name);
      try {
        return [[dirname(file), JSON.parse(readFileSync(file, "utf8")) as RunRecord] as const];
      } catch {
        // Removed meanwhile, or not written to its end: of no use as a proof.
        return [];
      }
    });
    return new Map(records);
  }
}

/** Whether a process has that id which may be Pulumi's CLI: another program may have got it since. */
export function isPulumi(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== "EPERM") return false;
  }
  try {
    // Empty for one that has ended and that nobody has asked about its end.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("pulumi");
  } catch {
    // Without /proc nothing more is known.
    return true;
  }
}
