import { existsSync, readFileSync } from "node:fs";
import { codeOf } from "@linkerd-multicluster/engine/base";
import type { RunCommand } from "./events.ts";

/** A watch records each process of Pulumi's CLI that it starts, to recognize its lock. */
export interface RunRecord {
  readonly host: string;
  readonly pid: number;
  /** The time is in milliseconds since 1970. */
  readonly at: number;
  /** Records of earlier versions have none. */
  readonly command?: RunCommand;
}

/** A file or bucket backend describes the lock of a stack as `user@host (pid 1) at <time>`. */
export interface Lock extends RunRecord {
  readonly text: string;
}

/** Pulumi's Automation API recognizes a lock by the same words, the second of which are Pulumi Cloud's. */
const isLocked =
  /^error: (?:the stack is currently locked by |\[409\] Conflict: Another update is currently in progress)/m;

/** Finds the locks on which a run failed; undefined if it failed for another reason. @param text what Pulumi itself prints */
export function locksIn(text: string): readonly Lock[] | undefined {
  if (!isLocked.test(text)) return undefined;
  return text.split("created by ").flatMap((words) => {
    const [found, host = "", pid, at = ""] =
      /^(?:[^@\n]*@)+([^\s@]+) \(pid (\d+)\) at (\S+)/.exec(words) ?? [];
    return found === undefined ? [] : [{ host, pid: Number(pid), at: Date.parse(at), text: found }];
  });
}

/** The CLI locks the stack within this many milliseconds of its start, by a clock of whole seconds. */
const soonest = -2_000;
const latest = 300_000;

/**
 * Judges the locks of a stack by the records of this machine. `stale`: runs of a watch left them and have ended.
 * `running`: such a run continues. `foreign`: one of them can't be proved to be a watch's.
 */
export function judge(
  locks: readonly Lock[],
  records: readonly RunRecord[],
  isRunning: (pid: number) => boolean,
): "stale" | "running" | "foreign" {
  const isOfWatch = (lock: Lock) =>
    records.some(({ host, pid, at }) => {
      const delay = lock.at - at;
      return lock.host === host && lock.pid === pid && delay >= soonest && delay <= latest;
    });
  if (locks.length === 0 || !locks.every(isOfWatch)) return "foreign";
  return locks.some(({ pid }) => isRunning(pid)) ? "running" : "stale";
}

/** Checks the program too, because another one may have got the id since. Without /proc, it assumes Pulumi. */
export function isPulumi(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== "EPERM") return false;
  }
  try {
    // A process that has ended and whose parent has not asked for its status has no command line.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("pulumi");
  } catch {
    return !existsSync("/proc/self");
  }
}
