import { env } from "node:process";

import { seed } from "../seed.ts";

const soak = env.SOAK === undefined ? undefined : Number(env.SOAK);

export const isSoak = soak !== undefined;

/** Returns how often a randomized test is repeated: a sample in the suite, and a multiple of it in `npm run soak`. */
export function repeated(sample: number): number {
  return soak === undefined ? sample : Math.round(sample * soak);
}

const figures = new Map<string, number>();

/** Adds to the figures that the suite prints at its end, like `crashes survived: 1,234`. */
export function count(what: string, times = 1): void {
  figures.set(what, (figures.get(what) ?? 0) + times);
}

after(() => {
  for (const [what, times] of figures) console.log(`${what}: ${times.toLocaleString("en")}`);
  if (figures.size > 0) console.log(`seed: ${seed}`);
});
