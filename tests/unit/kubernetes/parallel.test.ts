import assert from "node:assert/strict";
import { inParallel } from "../../../engine/kubernetes/client/parallel.ts";

describe("work in parallel", () => {
  const items = Array.from({ length: 100 }, (_, index) => index);

  it("gives one result per item, in order, whatever some of them throw", async () => {
    const results = await inParallel(items, async (item) => {
      await Promise.resolve();
      if (item % 3 === 0) {
        throw new Error(`no ${item}`);
      }
      return item * 2;
    });
    assert.equal(results.length, 100);
    assert.deepEqual(results[2], { status: "fulfilled", value: 4 });
    assert.equal(results[99]?.status, "rejected");
    assert.equal(results.filter(({ status }) => status === "rejected").length, 34);
  });

  it("never has more in flight than the limit, and reaches it", async () => {
    let running = 0;
    let most = 0;
    await inParallel(
      items,
      async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
      },
      7,
    );
    assert.equal(most, 7);
  });

  it("takes a throw before the first await as a result too", async () => {
    const [result] = await inParallel([1], () => {
      throw new Error("at once");
    });
    assert.equal(result?.status, "rejected");
  });
});
