import { env } from "node:process";

import { seed } from "../seed.ts";

const soak = env.SOAK === undefined ? undefined : Number(env.SOAK);

/** Whether `npm run soak` runs, which also does what takes too long for each time. */
export const isSoak = soak !== undefined;

/**
 * How often a randomized test is repeated: a sample in the suite, and in `npm run soak` as many times
 * more as it is told.
 */
export function repeated(sample: number): number {
  return soak === undefined ? sample : Math.round(sample * soak);
}

const figures = new Map<string, number>();

/** Adds to what the suite prints at its end, like `crashes survived: 1,234`. */
export function count(what: string, times = 1): void {
  figures.set(what, (figures.get(what) ?? 0) + times);
}

after(() => {
  for (const [what, times] of figures) console.log(`${what}: ${times.toLocaleString("en")}`);
  if (figures.size > 0) console.log(`seed: ${seed}`);
});
