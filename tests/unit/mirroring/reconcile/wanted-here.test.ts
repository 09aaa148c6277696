import { equal } from "node:assert/strict";
import { isWantedHere, wantHere } from "../../../../engine/mirroring/reconcile/wanted-here.ts";
import { args, later, settled, unreachable, west } from "../../fixtures/settled.ts";
import { argsFor, lookedAt } from "../../fixtures/world.ts";

describe("what a run wants", () => {
  it("is what it has planned, on that cluster and no other", async () => {
    const { clusters, before } = await settled();
    const { clusters: there, inputs } = await later(clusters.east, before);
    const outcome = await lookedAt({ ...clusters, ...there }, args, inputs);
    equal(isWantedHere(outcome.source.identity, "shop/web-west"), false);
    wantHere(outcome);
    equal(isWantedHere(outcome.source.identity, "shop/web-west"), true);
    equal(isWantedHere(outcome.source.identity, "shop/api-north"), true);
    equal(isWantedHere(outcome.source.identity, "shop/own-west"), false);
    equal(isWantedHere("another", "shop/web-west"), false);
  });

  it("is also what it has of a target that it cannot judge now", async () => {
    const { clusters, before } = await settled();
    const { clusters: there, inputs } = await later(clusters.east, before);
    const away = { ...clusters, ...there, west: unreachable("west") };
    const outcome = await lookedAt(away, args, inputs);
    wantHere(outcome);
    equal(isWantedHere(outcome.source.identity, "shop/web-west"), true);
  });

  it("is also what it may not delete", async () => {
    const strict = argsFor([{ target: "west", maxDeletions: 0 }]);
    const { clusters, before } = await settled({}, strict);
    const { clusters: there, inputs } = await later(clusters.east, before);
    const outcome = await lookedAt({ ...clusters, ...there, west: west() }, strict, inputs);
    wantHere(outcome);
    equal(isWantedHere(outcome.source.identity, "shop/web-west"), true);
  });
});
