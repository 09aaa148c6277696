import { equal } from "node:assert/strict";

import { PendingChange } from "../../../automation/pending-change.ts";
import type { WatchEvent } from "../../../engine/watch/events.ts";

const sign: WatchEvent = { event: "triggered", reason: "event", cluster: "west", about: "x" };
const looked = (milliseconds: number): WatchEvent => ({
  event: "looked",
  milliseconds,
  sources: [],
});
const settled: WatchEvent = { event: "state", state: "settled", why: [] };
const failing: WatchEvent = { event: "state", state: "failing", why: [] };

describe("a change that is pending", () => {
  let pending: PendingChange;
  beforeEach(() => (pending = new PendingChange()));

  it("waits from its first sign until all is settled", () => {
    equal(pending.after(sign, 10), 10);
    equal(pending.after(sign, 12), 10);
    equal(pending.after(looked(1_000), 14), 10);
    equal(pending.after(failing, 15), 10);
    equal(pending.after(looked(1_000), 50), 10);
    equal(pending.after(settled, 60), 0);
  });

  it("goes on to wait if it came after the look, of which the run can't know", () => {
    pending.after(sign, 10);
    pending.after(looked(1_000), 14);
    equal(pending.after(sign, 16), 10);
    equal(pending.after(sign, 17), 10);
    equal(pending.after(settled, 18), 16);
    pending.after(looked(500), 20);
    equal(pending.after(settled, 20), 0);
  });

  it("goes on to wait if it came during the look", () => {
    pending.after(sign, 10);
    pending.after(sign, 13.5);
    pending.after(looked(1_000), 14);
    equal(pending.after(settled, 18), 13.5);
  });
});
