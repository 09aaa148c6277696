import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { execa } from "execa";

import { errorCodeOf } from "./errors.ts";

/** Folders of beds are named so: by the process that they belong to. */
export const folderPrefix = (pid: number): string => `linkerd-multicluster-bed-${pid}-`;

const FOLDER = /^linkerd-multicluster-bed-(\d+)-/;

/** Removes what is left of beds whose process is gone and whose watchdog was killed too. */
export async function removeStale(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const owner = FOLDER.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const folder = join(temporary, name);
    // The folder's random name is on no other command line than that of a server which was started with its files.
    await execa("pkill", ["-KILL", "-f", `=${folder}/`], { reject: false });
    // Another user's, or a watchdog at work on it just now: neither is ours to fail on.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === "EPERM";
  }
}
