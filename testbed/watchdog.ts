import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { join } from "node:path";

import { BedError } from "./errors.ts";

/**
 * Sees to it that nothing outlives this process: neither a folder nor the processes it guards. Stopping normally, Ctrl-C,
 * an error, a kill that no handler sees: all take the same way, the closing of a pipe, so that there are no handlers to
 * forget and every test that ends proves it.
 */
export interface Watchdog {
  /** `child` must have been started with `detached`: it is ended with its whole process group. */
  guard(child: ChildProcess): void;
  /** Ends what is guarded and deletes the folder, now. */
  end(): Promise<void>;
}

export function startWatchdog(folder: string): Watchdog {
  // In a session of its own: a Ctrl-C in the terminal must not end it before it has done its work.
  const shell = spawn("/bin/sh", [join(import.meta.dirname, "watchdog.sh"), folder], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const gone = once(shell, "exit");
  // Nobody may be waiting when the shell can't even start; `guard` then says so.
  gone.catch(() => undefined);
  shell.stdin.on("error", () => undefined);
  // What nobody stops must not keep this process alive: its exit is what stops it.
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  const guarded = new Map<ChildProcess, Promise<void>>();

  return {
    guard(child) {
      const { pid } = child;
      if (pid === undefined) return;
      if (shell.pid === undefined || !shell.stdin.writable) {
        process.kill(-pid, "SIGKILL");
        throw new BedError(
          `The watchdog of ${folder} is gone, so nothing more can be started there.`,
        );
      }
      shell.stdin.write(`+ ${pid}\n`);
      const ended = once(child, "exit").then(() => {
        guarded.delete(child);
        // The number may soon be another process's.
        if (shell.stdin.writable) shell.stdin.write(`- ${pid}\n`);
      });
      guarded.set(child, ended);
    },
    async end() {
      for (const child of [shell, ...guarded.keys()]) child.ref();
      shell.stdin.end();
      await Promise.all([gone, ...guarded.values()]);
    },
  };
}
