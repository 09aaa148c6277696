import { equal, ok } from "node:assert/strict";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { doors, large, small } from "./doors.ts";

/** In megabytes. The program alone takes a quarter of them, and garbage another. */
const heap = 32;

describe("the worst that a cluster can say takes time in proportion to its length", () => {
  for (const [name, door] of Object.entries(doors))
    it(name, async function () {
      this.timeout(60_000);
      const [one, eight] = [await timeOf(door(small)), await timeOf(door(large))];
      // Linear growth takes 8 times as long and quadratic growth 64 times; less than 3 ms is noise.
      ok(
        eight <= 32 * Math.max(one, 3),
        `${one.toFixed(1)} ms, and ${eight.toFixed(1)} ms for eight times as much`,
      );
    });
});

/** Returns the least milliseconds of processor time of some attempts, because other processes interfere. */
async function timeOf(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < 3; attempt++) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
    // A slow attempt needs no second one.
    if (least > 500) break;
  }
  return least;
}

describe("the worst that a cluster can say takes memory in proportion to its length", () => {
  it(`so that all of it, one after the other, fits in ${heap} MB`, async function () {
    this.timeout(60_000);
    const file = new URL("heap.ts", import.meta.url);
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heap } });
    let last = "nothing";
    worker.on("message", (name: string) => (last = name));
    const ended = once(worker, "exit");
    worker.on("error", (error) => (last += `: ${error.message}`));
    equal((await ended)[0], 0, last);
  });
});
