import { deepEqual } from "node:assert/strict";
import { mirrorsBefore } from "../../../../engine/mirroring/model/state.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, exported } from "../../fixtures/objects.ts";
import { args, settled, web } from "../../fixtures/settled.ts";
import { argsFor, preview } from "../../fixtures/world.ts";

describe("a gateway that this run is yet to make", () => {
  const awaited = { ...args, observedGateways: { west: "to be made" } };
  const none = new MemoryCluster(cluster("west", { services: [web] }));

  it("lets a preview show the mirrors that come, and what is not mirrored", async () => {
    const east = new MemoryCluster(cluster("east", { namespaces: ["shop"] }));
    const lacking = cluster("west", { services: [web, exported("elsewhere/api")] });
    const { inputs } = await preview(
      { east, west: new MemoryCluster(lacking) },
      { ...argsFor(["west"]), observedGateways: { west: "to be made" } },
    );
    deepEqual(inputs.mirrors, {
      west: { "shop/web-west": "gateway mirror of web: http 80→8080/TCP" },
    });
    deepEqual(inputs.gateways, undefined);
    deepEqual(Object.keys(inputs.notMirrored?.["west"] ?? {}), ["elsewhere/api"]);
  });

  it("leaves open what becomes of mirrors that exist, with nothing made up about them", async () => {
    const { clusters, before } = await settled();
    const { inputs } = await preview({ ...clusters, west: none }, awaited, before);
    deepEqual(inputs.mirrors, {
      west: "to be made",
      north: mirrorsBefore(before, "north"),
    });
    deepEqual(inputs.changes, undefined);
  });

  it("is no matter for other links", async () => {
    const { clusters, before } = await settled();
    const { inputs } = await preview(clusters, awaited, { ...before, mirrors: {} });
    deepEqual(Object.keys(inputs.changes ?? {}), ["north"]);
  });
});
