import { readdir, readFile } from "node:fs/promises";

/** Milliseconds between two looks. */
const pause = 50;

/**
 * The most memory that a provider process of this bed's engine has had while `work` went on, in MB.
 * Undefined where the system does not tell (it is Linux that has /proc).
 */
export async function providerMemory(
  folder: string,
  work: () => Promise<unknown>,
): Promise<number | undefined> {
  let most: number | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    for (const kilobytes of await peaks(folder)) most = Math.max(most ?? 0, kilobytes / 1000);
    isLooking = false;
  };
  const timer = setInterval(() => void look(), pause);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most;
}

/** In kB, of each provider whose environment leads into the bed's folder. */
async function peaks(folder: string): Promise<number[]> {
  const entries = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (pid) => {
        const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
        if (!(await read("cmdline")).includes("dynamic-provider/index.js")) return [];
        if (!(await read("environ")).includes(folder)) return [];
        const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await read("status")) ?? [];
        return kilobytes === undefined ? [] : [Number(kilobytes)];
      }),
  );
  return found.flat();
}
