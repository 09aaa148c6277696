import { ok } from "node:assert/strict";
import { doors } from "./doors.ts";
import { processorTime } from "./growth.ts";

/** Bytes: what this machine is busy with otherwise is lost in the time that the larger one takes. */
const [small, large] = [25_000, 200_000];

describe("the worst that a cluster can say takes time in proportion to its length", () => {
  for (const { name, worst, enter } of doors)
    it(name, async function () {
      this.timeout(60_000);
      const timeOf = async (bytes: number) => {
        const input = worst(bytes);
        return processorTime(() => enter(input as never));
      };
      const [one, eight] = [await timeOf(small), await timeOf(large)];
      // Twice as much as linear, and what is too little to be measured is no growth.
      ok(
        eight <= 16 * Math.max(one, 3),
        `${one.toFixed(1)} ms, and ${eight.toFixed(1)} ms for eight times as much`,
      );
    });
});
