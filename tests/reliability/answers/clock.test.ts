import { equal } from "node:assert/strict";
import { mock } from "node:test";

import { expectCell } from "./cell.ts";
import { page } from "./faults.ts";
import { allPhases } from "./phases.ts";

const hour = 3_600_000;

describe("a runner whose clock is an hour", () => {
  for (const off of [hour, -hour])
    for (const [phase] of allPhases)
      it(`${off > 0 ? "fast" : "slow"}: waits as long as an overloaded source says ${phase}`, async () => {
        const now = Date.now();
        const fault = page(429, { "retry-after": "2" });
        mock.timers.enable({ apis: ["Date"], now: now + off });
        try {
          equal(Math.round((Date.now() - now) / hour), off / hour);
          await expectCell({
            phase,
            at: "east",
            fault,
            lasts: "at first",
            end: "done",
            waits: 2_000,
            // A cluster that refuses requests gets fewer at a time, which then wait for each other.
            patience: 30_000,
          });
        } finally {
          mock.timers.reset();
        }
      });
});
