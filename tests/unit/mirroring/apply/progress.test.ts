import assert from "node:assert/strict";
import { WriteProgress } from "../../../../engine/mirroring/apply/apply.ts";

/** The lines said when steps are done at these milliseconds after the beginning. */
function lines(total: number, ...times: number[]): string[] {
  const said: string[] = [];
  let now = 5_000;
  const time = { now: () => now };
  const progress = new WriteProgress("mirroring west", total, (line) => said.push(line), time);
  for (const time of times) {
    now = 5_000 + time;
    progress.step();
  }
  return said;
}

describe("progress", () => {
  const rows: [rule: string, said: string[], expected: string[]][] = [
    ["says nothing of work without steps", lines(0), []],
    ["says nothing of short work", lines(3, 10, 500, 999), []],
    ["says how far it is after a second", lines(9, 10, 1_000), ["mirroring west: 2/9"]],
    ["says so once in a second", lines(9, 1_000, 1_001, 1_999), ["mirroring west: 1/9"]],
    [
      "counts every step and says so again a second later",
      lines(4, 1_500, 1_600, 2_499, 2_500),
      ["mirroring west: 1/4", "mirroring west: 4/4"],
    ],
    ["does not make up for time without steps", lines(2, 9_000, 9_100), ["mirroring west: 1/2"]],
  ];
  for (const [rule, said, expected] of rows)
    it(rule, () => {
      assert.deepEqual(said, expected);
    });
});
