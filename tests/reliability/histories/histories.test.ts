import { deepEqual } from "node:assert/strict";

import fc from "fast-check";

import { count, repeated } from "../effort.ts";
import { histories } from "./actions.ts";
import { History, mirrorsIn } from "./history.ts";

describe("whatever happens to a mesh, and in whatever order", () => {
  it("it ends as a new stack would make it, and then no run writes anything", async function () {
    this.timeout(0);
    const property = fc.asyncProperty(histories, async (actions) => {
      const history = new History();
      for (const action of actions) await history.take(action);
      history.heal();
      await history.settle();
      deepEqual(mirrorsIn(history.mesh), await history.fromScratch());
      count("histories");
    });
    await fc.assert(property, { numRuns: repeated(200) });
  });
});
