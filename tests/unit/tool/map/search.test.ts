import assert from "node:assert/strict";
import * as fc from "fast-check";
import { found, rowOf, sorted, windowOf } from "../../../../tool/map/page/search.ts";

const rows = ["shop/web-10 80/TCP", "shop/web-2 80/TCP", "pay/Ledger 443/TCP"].map((text) =>
  rowOf(text.split(" ")),
);
const names = (some: readonly { readonly cells: readonly string[] }[]) =>
  some.map(({ cells }) => cells[0]);

describe("the tables of map", () => {
  it("find the rows with every word, in whichever column and case", () => {
    assert.deepEqual(names(found(rows, "SHOP 80")), ["shop/web-10", "shop/web-2"]);
    assert.deepEqual(names(found(rows, "ledger web")), []);
    assert.equal(found(rows, "  "), rows);
  });

  it("sort by numbers, both ways, and leave what they were given", () => {
    assert.deepEqual(names(sorted(rows, 0, false)), ["pay/Ledger", "shop/web-2", "shop/web-10"]);
    assert.deepEqual(names(sorted(rows, 1, true))[0], "pay/Ledger");
    assert.equal(rows[0]?.cells[0], "shop/web-10");
  });

  it("hold every row that can be seen, few others, and none that is not there", () => {
    const numbers = fc.record({
      ...{ scrolled: fc.nat(400_000), visible: fc.nat(2_000), count: fc.nat(10_000) },
    });
    fc.assert(
      fc.property(numbers, ({ scrolled, visible, count }) => {
        const [first, last] = windowOf(scrolled, visible, 30, count);
        assert.ok(0 <= first && first <= last && last <= count);
        assert.ok(last - first <= visible / 30 + 22);
        const seen = [Math.floor(scrolled / 30), Math.ceil((scrolled + visible) / 30) - 1];
        for (const row of seen) if (row >= 0 && row < count) assert.ok(first <= row && row < last);
      }),
    );
  });
});
