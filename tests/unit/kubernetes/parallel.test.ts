import { deepEqual, equal } from "node:assert/strict";
import { inParallel } from "../../../engine/kubernetes/client/parallel.ts";

it("work in parallel has one result per item, whatever some throw, and no more in flight than the limit", async () => {
  let [running, most] = [0, 0];
  const items = Array.from({ length: 100 }, (_, index) => index);
  const results = await inParallel(
    items,
    async (item) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      if (item % 3 === 0) throw new Error(`no ${item}`);
      return item * 2;
    },
    7,
  );
  equal(most, 7);
  deepEqual(
    results.map((result) => (result.status === "fulfilled" ? result.value : "rejected")),
    items.map((item) => (item % 3 === 0 ? "rejected" : item * 2)),
  );
});
