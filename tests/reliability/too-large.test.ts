import { deepEqual, equal, match, ok } from "node:assert/strict";

import type { ObjectKey } from "../../engine/kubernetes/objects/objects.ts";
import type { ApiServer } from "../simulation/api-server.ts";
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

describe("a namespace that fills the room for a cluster's objects", () => {
  const large = { annotations: { note: "x".repeat(20_000) } };
  const names = Array.from({ length: 30 }, (_, index) => `noise/large-${index}`);
  const mesh = async () => {
    const found = new Mesh(["east", "west"], {
      clusters: { east: { failover: { "noise/own": ["local", "west"] } }, west: {} },
      links: [{ source: "east", target: "west" }],
    });
    const [east, west] = [found.server("east"), found.server("west")];
    for (const name of ["shop", "noise"]) east.put("namespaces", { metadata: { name } });
    putServices(east, service("noise/own"));
    putServices(west, gatewayService("west"), exported("shop/web"), exported("noise/own"));
    equal((await found.up()).failure, undefined);
    found.options = { sizeLimits: { kept: 100_000 } };
    return { found, east, west };
  };
  const listsOf = (east: ApiServer) => [
    [...east.all("services").keys()].filter((key) => /-west$|own/.test(key)).sort(),
    [...east.all("httproutes").keys()],
  ];

  for (const where of ["east", "west"] as const)
    for (const [what, labels] of [
      ["nobody mirrors", {}],
      ["are exported", { "mirror.linkerd.io/exported": "true" }],
      ["have a mirror's labels", { [mirrored]: "true", "mirror.linkerd.io/cluster-name": "ghost" }],
    ] as const)
      it(`costs no mirror of others, with Services in ${where} that ${what}`, async () => {
        const { found, east, west } = await mesh();
        const before = listsOf(east);
        const noisy = found.server(where);
        putServices(noisy, ...names.map((key) => service(key as ObjectKey, { ...large, labels })));
        putServices(west, exported("shop/cart"));
        const { failure, lines } = await found.up();
        equal(failure, undefined, lines.join("\n"));
        ok(east.all("services").has("shop/cart-west"));
        const [services, routes] = listsOf(east);
        deepEqual([services?.filter((key) => key !== "shop/cart-west"), routes], before);
      });

  it("leaves its own mirrors as they are, and is named", async () => {
    const { found, east, west } = await mesh();
    const before = listsOf(east);
    putServices(west, ...names.map((key) => service(key as ObjectKey, large)));
    // Its labels are left out too, so that no selector could choose it.
    const labels = Object.fromEntries(names.map((key) => [key, "x".repeat(63)]));
    putServices(west, exported("noise/own", { annotations: large.annotations, labels }));
    const { failure, lines } = await found.up();
    equal(failure, undefined);
    deepEqual(listsOf(east), before);
    match(
      lines.join("\n"),
      /noise\/own is not mirrored .*: its Service is not read, because .* namespace noise on west /,
    );
  });

  it("is named if it fills it with small objects too", async () => {
    const { found, west } = await mesh();
    const small = { annotations: { note: "x".repeat(4_000) } };
    putServices(west, ...names.map((key) => service(key as ObjectKey, small)));
    match(
      (await found.up()).failure ?? "",
      /takes more than .* MiB, most of it in namespace noise/,
    );
  });
});
