import fc from "fast-check";

import { count, repeated } from "../../effort.ts";
import { histories } from "./events.ts";
import { WritersHistory } from "./history.ts";

describe("other writers in a source, in any order", () => {
  it("lose nothing that they vouch for, and no run deletes more than its preview announced or leaves what nobody wants", async function () {
    this.timeout(0);
    const property = fc.asyncProperty(histories, async (events) => {
      const history = new WritersHistory();
      for (const event of events) await history.take(event);
      await history.settle();
      count("histories of several writers");
    });
    await fc.assert(property, { numRuns: repeated(100) });
  });
});
