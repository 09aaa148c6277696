import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { errorCodeOf, isMissing } from "./errors.ts";

const BEAT = 1000;
const SILENCE = 10 * BEAT;

/**
 * Runs `action` while no other process runs one for the same folder. An owner keeps touching its lock: one that has
 * died, in this container or another that shares the folder, is told by its silence, not by a process number.
 *
 * The locks are numbered files, of which the highest counts and stays. To follow an owner is to create the next number,
 * which only one of those who wait can do; deleting and creating the same file anew would let two of them in.
 */
export async function withLock<T>(
  folder: string,
  onWait: () => void,
  action: () => Promise<T>,
): Promise<T> {
  const file = await acquire(folder, onWait);
  let touched = Promise.resolve();
  const beat = setInterval(() => {
    touched = setTime(file, new Date());
  }, BEAT);
  try {
    return await action();
  } finally {
    clearInterval(beat);
    await touched;
    await setTime(file, new Date(0));
  }
}

async function acquire(folder: string, onWait: () => void): Promise<string> {
  let waited = false;
  for (;;) {
    const highest = Math.max(0, ...(await numbersIn(folder)));
    if (await isHeld(fileOf(folder, highest))) {
      if (!waited) onWait();
      waited = true;
      await sleep(200);
      continue;
    }
    const own = fileOf(folder, highest + 1);
    if (!(await isCreated(own))) continue;
    const numbers = await numbersIn(folder);
    if (Math.max(...numbers) === highest + 1) {
      for (const number of numbers) {
        if (number <= highest) await rm(fileOf(folder, number), { force: true });
      }
      return own;
    }
    // Others came and went between the look and the creation, and one is here now.
    await rm(own, { force: true });
  }
}

const fileOf = (folder: string, number: number): string => join(folder, `lock.${number}`);

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => /^lock\.(\d+)$/.exec(name)?.slice(1).map(Number) ?? []);
}

async function isHeld(file: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(file)).mtimeMs < SILENCE;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function isCreated(file: string): Promise<boolean> {
  try {
    await writeFile(file, "", { flag: "wx" });
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function setTime(file: string, time: Date): Promise<void> {
  try {
    await utimes(file, time, time);
  } catch (error) {
    // Thought dead, after a long sleep, and followed.
    if (!isMissing(error)) throw error;
  }
}
