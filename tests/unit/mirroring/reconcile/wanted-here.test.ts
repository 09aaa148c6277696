import { deepEqual, equal } from "node:assert/strict";
import { carryOut } from "../../../../engine/mirroring/reconcile/carry-out.ts";
import { WantedHere } from "../../../../engine/mirroring/reconcile/wanted-here.ts";
import { args, later, settled, unreachable, west } from "../../fixtures/settled.ts";
import { now } from "../../fixtures/objects.ts";
import { argsFor, lookedAt, mirrorsIn, preview, World } from "../../fixtures/world.ts";

describe("what a run wants", () => {
  it("is what it has planned, on that cluster and no other", async () => {
    const wanted = new WantedHere();
    const { clusters, before } = await settled();
    const { clusters: there, inputs } = await later(clusters.east, before);
    const outcome = await lookedAt({ ...clusters, ...there }, args, inputs);
    equal(wanted.has(outcome.source.identity, "shop/web-west"), false);
    wanted.add(outcome);
    equal(wanted.has(outcome.source.identity, "shop/web-west"), true);
    equal(wanted.has(outcome.source.identity, "shop/api-north"), true);
    equal(wanted.has(outcome.source.identity, "shop/own-west"), false);
    equal(wanted.has("another", "shop/web-west"), false);
  });

  it("is not deleted with a link that another name of the same cluster has", async () => {
    const wanted = new WantedHere();
    const { clusters, before } = await settled();
    const { clusters: there, inputs } = await later(clusters.east, before);
    const all = { ...clusters, ...there };
    wanted.add(await lookedAt(all, argsFor(["west"]), inputs));
    const { inputs: rest } = await preview(all, argsFor(["north"]), inputs);
    deepEqual(await carryOut(new World(all), wanted, rest, () => undefined, now), []);
    deepEqual(await mirrorsIn(there.east), ["shop/api-north", "shop/web-west"]);
  });

  it("is also what it has of a target that it cannot judge now", async () => {
    const wanted = new WantedHere();
    const { clusters, before } = await settled();
    const { clusters: there, inputs } = await later(clusters.east, before);
    const away = { ...clusters, ...there, west: unreachable("west") };
    const outcome = await lookedAt(away, args, inputs);
    wanted.add(outcome);
    equal(wanted.has(outcome.source.identity, "shop/web-west"), true);
  });

  it("is also what it may not delete", async () => {
    const wanted = new WantedHere();
    const strict = argsFor([{ target: "west", maxDeletions: 0 }]);
    const { clusters, before } = await settled({}, strict);
    const { clusters: there, inputs } = await later(clusters.east, before);
    const outcome = await lookedAt({ ...clusters, ...there, west: west() }, strict, inputs);
    wanted.add(outcome);
    equal(wanted.has(outcome.source.identity, "shop/web-west"), true);
  });
});
