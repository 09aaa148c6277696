import { deepEqual, match } from "node:assert/strict";
import type { ObjectKey, Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { fed, member } from "../../fixtures/federation.ts";
import { confirmedBy } from "../../fixtures/marks.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, exported } from "../../fixtures/objects.ts";
import { editedEast, settled, unreachable } from "../../fixtures/settled.ts";
import { argsFor, exporting, preview, up } from "../../fixtures/world.ts";

const target = (name: string, ...services: Service[]) =>
  new MemoryCluster(exporting(name, services));
const east = (...services: Service[]) =>
  new MemoryCluster(cluster("east", { namespaces: ["shop"], services }));
const list = "multicluster.linkerd.io/remote-discovery";

describe("links that are decided about together", () => {
  it("mirror into the namespaces that another of them creates, in the same run", async () => {
    const creating = { createNamespaces: true };
    const args = argsFor([
      { target: "west", ...creating },
      "north",
      { target: "south", ...creating },
    ]);
    const { inputs } = await preview(
      {
        east: east(),
        west: target("west", exported("new/web"), member("joint/bb")),
        north: target("north", exported("new/api"), exported("joint/web"), exported("none/web")),
        south: unreachable("south"),
      },
      args,
    );
    deepEqual(
      Object.entries(inputs.mirrors as Record<string, object>).map(([part, all]) => [
        part,
        Object.keys(all),
      ]),
      [
        ["west", ["new/web-west"]],
        ["north", ["joint/web-north", "new/api-north"]],
        ["federated", ["joint/bb-federated"]],
      ],
    );
    match(JSON.stringify(inputs.notMirrored), /^\{"north":\{"none\/web":"MissingNamespace: /);
  });

  it("leave the names that end like another's target to that, be it a controller's", async () => {
    const clusters = { east: east(), c: target("c", exported("shop/a-b")), "b-c": target("b-c") };
    for (const args of [argsFor(["c", "b-c"]), argsFor(["c"], { controllerLinks: ["b-c"] })]) {
      const { inputs } = await preview(clusters, args);
      match(JSON.stringify(inputs.notMirrored), /^\{"c":\{"shop\/a-b":"CollidingName: /);
    }
  });
});

describe("a federated Service with members of others", () => {
  const key: ObjectKey = "shop/bb-federated";
  const others = fed("shop/bb", { remote: "bb@other" });
  const listedIn = ({ mirrors }: { readonly mirrors: object | string }) =>
    typeof mirrors === "object" && "federated" in mirrors;

  it("is not this stack's to list before a member of its own joins, nor after that has left", async () => {
    const clusters = { east: east(others), west: target("west") };
    const args = argsFor(["west"]);
    const none = await up(clusters, args);
    deepEqual([listedIn(none), clusters.east.writes], [false, []]);
    const joined = await up({ ...clusters, west: target("west", member("shop/bb")) }, args, none);
    deepEqual(listedIn(joined), true);
    const left = await up(clusters, args, joined);
    deepEqual(listedIn(left), false);
    const { services } = await clusters.east.snapshot();
    deepEqual(services.get(key)?.metadata.annotations?.[list], "bb@other");
    // No other stack has it, so this one's mark may stay: nothing is left to do.
    const { inputs, hasWrites } = await preview(clusters, args, left);
    deepEqual([inputs.revision, hasWrites], [left.revision, false]);
  });

  it("keeps the members of a removed link where another stack has it too", async () => {
    const bb = member("shop/bb");
    // A link that had federated members alone would have nothing left that is provably this stack's.
    const both = { west: target("west", bb, exported("shop/web")), north: target("north", bb) };
    const setting = await settled(both);
    const shared = await editedEast(setting, (live) => confirmedBy("other/prod", live), key);
    for (const [source, after] of [
      [shared, "bb@west,bb@north"],
      [setting.clusters.east, "bb@north"],
    ] as const) {
      await up({ ...setting.clusters, east: source }, argsFor(["north"]), setting.before);
      const { services } = await source.snapshot();
      deepEqual(services.get(key)?.metadata.annotations?.[list], after);
    }
  });
});
