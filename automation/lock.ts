import type { ProcessTable } from "./process-table.ts";
import type { RunRecord } from "./run-record.ts";

/** Who has locked a stack, as Pulumi's backends of one's own say it. */
export interface Lock {
  readonly host: string;
  readonly pid: number;
  /** Milliseconds since 1970, of whole seconds. */
  readonly at: number;
  /** `user@host (pid 1) at <time>`. */
  readonly text: string;
}

/** Pulumi's own words, by which its Automation API knows it too. */
const lockedWords = "the stack is currently locked by";

/** The locks that a run has failed on; undefined: that is not why it failed. */
export function locksIn(text: string): readonly Lock[] | undefined {
  if (!text.includes(lockedWords)) return undefined;
  return text.split("created by ").flatMap((words) => {
    const [found, host = "", pid, at = ""] =
      /^(?:[^@\n]*@)+([^\s@]+) \(pid (\d+)\) at (\S+)/.exec(words) ?? [];
    return found === undefined ? [] : [{ host, pid: Number(pid), at: Date.parse(at), text: found }];
  });
}

/**
 * `stale`: a watch's run has left it and is gone. `running`: it is a watch's run that still goes on.
 * `foreign`: it is not known to be ours, and only a person may clear it.
 */
export type Verdict = "stale" | "running" | "foreign";

/** Milliseconds that the CLI may take from its start until it locks the stack. */
const soonest = 2_000;
const latest = 300_000;

/**
 * What may be done about the locks of a stack. Clearing takes them all, so one that is somebody
 * else's keeps all of them.
 */
export function judge(
  locks: readonly Lock[],
  records: readonly RunRecord[],
  host: string,
  processes: Pick<ProcessTable, "identity">,
): Verdict {
  const verdicts = new Set(locks.map((lock) => judgeOne(lock, records, host, processes)));
  if (verdicts.has("foreign") || verdicts.size === 0) return "foreign";
  return verdicts.has("running") ? "running" : "stale";
}

function judgeOne(
  lock: Lock,
  records: readonly RunRecord[],
  host: string,
  processes: Pick<ProcessTable, "identity">,
): Verdict {
  if (lock.host !== host) return "foreign";
  const ours = records.find((record) => {
    const after = lock.at - Date.parse(record.startedAt);
    const isThen = after >= -soonest && after <= latest;
    return record.host === host && record.pid === lock.pid && isThen;
  });
  // Without the identity that it had, nobody can say whether the process that has its id is another.
  if (ours === undefined || ours.identity === "unknown") return "foreign";
  return processes.identity(ours.pid) === ours.identity ? "running" : "stale";
}
