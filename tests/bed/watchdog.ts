import { UserError, codeOf } from "@linkerd-multicluster/engine/base";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";

import { execa } from "execa";

/**
 * Ensures that nothing outlives this process, neither a folder nor the processes it guards. Stopping normally, Ctrl-C,
 * an error, a kill that no handler sees: all take the same way, the closing of a pipe, so that there are no handlers to
 * forget and every test that ends proves it.
 */
export interface Watchdog {
  /** `child` must have been started with `detached`: it is ended with its whole process group. */
  guard(child: ChildProcess): void;
  /** Ends what is guarded and deletes the folder. */
  end(): Promise<void>;
}

export function startWatchdog(folder: string): Watchdog {
  // Its session is its own, so that a Ctrl-C doesn't end it before its work is done.
  const shell = spawn("/bin/sh", [join(import.meta.dirname, "watchdog.sh"), folder], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const gone = once(shell, "exit");
  // Nobody may be waiting when the shell can't even start; `guard` then says so.
  gone.catch(() => undefined);
  shell.stdin.on("error", () => undefined);
  // The watchdog must not keep this process alive, since the end of this process is its signal.
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  const guarded = new Map<ChildProcess, Promise<void>>();

  return {
    guard(child) {
      const { pid } = child;
      if (pid === undefined) return;
      if (shell.pid === undefined || !shell.stdin.writable) {
        process.kill(-pid, "SIGKILL");
        throw new UserError(
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

/** The names of beds' folders start with this, and name the process that a bed belongs to. */
export const folderPrefix = (pid: number): string => `linkerd-multicluster-bed-${pid}-`;

const FOLDER = /^linkerd-multicluster-bed-(\d+)-/;

/** Removes the folders and processes of beds whose own process and watchdog were both killed. */
export async function removeStale(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const owner = FOLDER.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const folder = join(temporary, name);
    // The folder's random name is on no other command line than that of a server which was started with its files.
    await execa("pkill", ["-KILL", "-f", `=${folder}/`], { reject: false });
    // It belongs to another user, or a watchdog is just deleting it.
    await execa("sh", [join(import.meta.dirname, "remove.sh"), folder], { reject: false });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
