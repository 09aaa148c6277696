import { readdirSync, readFileSync } from "node:fs";

/** The variable that marks what a run has started, however it is passed on. */
export const runVariable = "LINKERD_MULTICLUSTER_WATCH_RUN";

/** What is known of the processes of this machine. */
export interface ProcessTable {
  /**
   * Says of a process which one it is, since ids come up again; undefined: there is none. `unknown`
   * where this system does not tell.
   */
  identity(pid: number): string | undefined;
  /** Processes that a run has started, by its mark, those that were left to init included. */
  markedBy(run: string): readonly number[];
  kill(pid: number): void;
}

/** Reads `/proc`; without one nothing can be proved of a process, and nothing is done to any. */
export const processTable: ProcessTable = {
  identity(pid) {
    const boot = contentOf("/proc/sys/kernel/random/boot_id");
    if (boot === undefined) return "unknown";
    const stat = contentOf(`/proc/${pid}/stat`);
    // After the command, which may hold blanks and parentheses: the state, and as the 20th the start.
    const [state, ...fields] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
    // One that nobody has asked about its end does nothing any more.
    if (state === undefined || state === "Z" || state === "X") return undefined;
    return `${boot.trim()}/${fields[18] ?? ""}`;
  },

  markedBy(run) {
    const mark = `${runVariable}=${run}`;
    return processIds().filter((pid) => {
      const environment = contentOf(`/proc/${pid}/environ`);
      return environment?.split("\0").includes(mark) === true;
    });
  },

  kill(pid) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  },
};

function processIds(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
