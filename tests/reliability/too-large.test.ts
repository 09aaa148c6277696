import { deepEqual, equal, match } from "node:assert/strict";

import { Mesh } from "../simulation/mesh.ts";
import { putEndpoints, putServices } from "../simulation/contents.ts";
import { endpoints, exported, gatewayService, member, service } from "../unit/fixtures/objects.ts";

const mirrored = "mirror.linkerd.io/mirrored-service";

describe("a source whose mirrors are too large to read", () => {
  it("is cleaned up anyway, and only this stack's mirrors are deleted", async () => {
    const mesh = new Mesh(["east", "west"], {
      clusters: { east: {}, west: {} },
      links: [{ source: "east", target: "west" }],
    });
    const [east, west] = [mesh.server("east"), mesh.server("west")];
    east.put("namespaces", { metadata: { name: "shop" } });
    // These Endpoints look like a mirror's, but their Service belongs to somebody else.
    const labels = { [mirrored]: "true", "mirror.linkerd.io/cluster-name": "west" };
    putServices(east, service("shop/db-west"));
    putEndpoints(east, endpoints("shop/db-west", [], { labels }));
    putServices(west, gatewayService("west"), exported("shop/web"), member("shop/cart"));
    equal((await mesh.up()).failure, undefined);

    mesh.options = { sizeLimits: { kept: 5_000 } };
    match((await mesh.up()).failure ?? "", /what is kept of it takes more than 0 MiB/);
    equal((await mesh.destroy()).failure, undefined);
    deepEqual([...east.all("services").keys()].sort(), ["default/kubernetes", "shop/db-west"]);
    deepEqual([...east.all("endpoints").keys()], ["shop/db-west"]);
  });
});
