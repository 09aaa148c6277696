import { deepEqual, equal } from "node:assert/strict";
import { carryOut } from "../../../../engine/mirroring/reconcile/carry-out.ts";
import { WantedHere } from "../../../../engine/mirroring/reconcile/wanted-here.ts";
import { now } from "../../fixtures/objects.ts";
import { args, settled, unreachable, west } from "../../fixtures/settled.ts";
import { argsFor, lookedAt, mirrorsIn, preview, World } from "../../fixtures/world.ts";

describe("what a run wants", () => {
  const strict = argsFor([{ target: "west", maxDeletions: 0 }]);
  for (const [rule, of, since] of [
    ["is what it has planned", args, {}],
    [
      "is also what it has of a target that it cannot judge now",
      args,
      { west: unreachable("west") },
    ],
    ["is also what it may not delete", strict, { west: west() }],
  ] as const)
    it(rule, async () => {
      const { clusters, before } = await settled({}, of);
      const wanted = new WantedHere();
      equal(wanted.has("uid-of-east", "shop/web-west"), false);
      wanted.add(await lookedAt({ ...clusters, ...since }, of, before));
      deepEqual(
        [wanted.has("uid-of-east", "shop/web-west"), wanted.has("uid-of-east", "shop/own-west")],
        [true, false],
      );
      equal(wanted.has("another", "shop/web-west"), false);
    });

  it("is not deleted with a link that another name of the same cluster has", async () => {
    const wanted = new WantedHere();
    const { clusters, before } = await settled();
    wanted.add(await lookedAt(clusters, argsFor(["west"]), before));
    const { inputs } = await preview(clusters, argsFor(["north"]), before);
    deepEqual(await carryOut(new World(clusters), wanted, inputs, () => undefined, now), []);
    deepEqual(await mirrorsIn(clusters.east), ["shop/api-north", "shop/web-west"]);
  });
});
