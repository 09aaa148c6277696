import { deepEqual } from "node:assert/strict";

import type { WatchEvent } from "../../../engine/watch/events.ts";
import { limited } from "../../../engine/watch/log.ts";

const changed = (cluster: string): WatchEvent => ({
  ...{ event: "triggered", reason: "event", cluster, about: "services shop/web" },
});

describe("what is told of one cluster", () => {
  it("is sixty things a minute, and then that it is more; of others it is everything", () => {
    let now = 0;
    const told: WatchEvent[] = [];
    const observe = limited((event) => told.push(event), { now: () => now });
    for (; now < 20_000; now += 10) observe(changed("hostile"));
    observe(changed("honest"));
    observe({ event: "state", state: "settled", why: [] });
    deepEqual(told.slice(60), [
      { event: "muted", cluster: "hostile", milliseconds: 59_400 },
      changed("honest"),
      { event: "state", state: "settled", why: [] },
    ]);
    now = 60_000;
    observe(changed("hostile"));
    deepEqual(told.at(-1), changed("hostile"));
  });
});
