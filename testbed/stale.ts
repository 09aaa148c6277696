import { execFile } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

import { codeOf } from "./errors.ts";

/** Folders of beds are named so: by the process that they belong to. */
export const folderPrefix = (pid: number): string => `linkerd-multicluster-bed-${pid}-`;

const FOLDER = /^linkerd-multicluster-bed-(\d+)-/;

const PROGRAMS = [
  ...["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"],
  ...["kwok", "coredns"],
];

/** Removes what is left of beds whose process is gone and whose watchdog was killed too. */
export async function removeStale(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const owner = FOLDER.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const folder = join(temporary, name);
    for (const pid of await leftIn(folder)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended meanwhile.
      }
    }
    // Another user's, or a watchdog at work on it just now: neither is ours to fail on.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The servers that were started with files of that folder: its random name is on no other's command line. */
async function leftIn(folder: string): Promise<number[]> {
  let listing: string;
  try {
    const options = { maxBuffer: 64 * 1024 ** 2 };
    listing = (await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,args="], options)).stdout;
  } catch {
    return []; // No `ps` on this machine.
  }
  const found: number[] = [];
  for (const line of listing.split("\n")) {
    const [pid, program, ...args] = line.trim().split(/\s+/);
    if (program === undefined || !PROGRAMS.includes(basename(program))) continue;
    if (args.some((argument) => argument.includes(`=${folder}/`))) found.push(Number(pid));
  }
  return found;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
