import { deepEqual, equal } from "node:assert/strict";

import fc from "fast-check";

import { count, repeated } from "../effort.ts";
import { histories } from "./actions.ts";
import { History } from "./history.ts";
import { mirrorsIn } from "./world.ts";

describe("any history of a mesh", () => {
  it("ends as a new stack would create it, then no run writes anything, and destroy leaves nothing", async function () {
    this.timeout(0);
    const property = fc.asyncProperty(histories, async (actions) => {
      const history = new History();
      for (const action of actions) await history.take(action);
      await history.holdStill();
      history.world.heal();
      await history.settle();
      deepEqual(mirrorsIn(history.mesh), await history.fromScratch());
      equal((await history.mesh.destroy()).failure, undefined);
      for (const mirrors of Object.values(mirrorsIn(history.mesh))) deepEqual(mirrors, {});
      count("histories");
    });
    await fc.assert(property, { numRuns: repeated(200) });
  });
});
