import assert from "node:assert/strict";

import { nameOf, patchEndpoints, patchService } from "../mirroring/changes.ts";
import { worldWithGateway } from "../mirroring/gateway.ts";
import { Methods } from "../mirroring/methods.ts";
import { exportedService, kinds } from "../mirroring/objects.ts";
import { create, type World } from "../mirroring/world.ts";

const namespace = "hand-labels";
const web = `${namespace}/web` as const;
const mirror = `${namespace}/web-west` as const;
const byHand = { labels: { "by-hand": "kept" }, annotations: { "by-hand": "kept" } };
const copied = { labels: { tier: "front", zone: "blue" }, annotations: { note: "old" } };

describe("labels and annotations that somebody adds to a mirror", function () {
  this.timeout("3m");

  let world: World;
  let stack: Methods;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    const { west, east } = world.kube;
    await create(west, exportedService(web, copied));
    const clusters = { west: {}, east: {} };
    const links = [{ source: "east", target: "west" }];
    stack = await Methods.create(world, namespace, { clusters, links });
    await stack.up();
    await patchService(east, mirror, { metadata: byHand });
    await patchEndpoints(east, mirror, { metadata: byHand });
  });

  it("are left alone, and are no reason for a run", async () => {
    await stack.previewNothing();
    await stack.assertSettled();
    await assertByHand();
  });

  it("stay, while those that were copied go with those of the exported Service", async () => {
    await patchService(world.kube.west, web, {
      metadata: { labels: { tier: null }, annotations: { note: null } },
    });
    await stack.up();
    const { metadata } = await world.kube.east.get(kinds.Service, nameOf(mirror));
    const { tier, zone } = metadata.labels ?? {};
    assert.deepEqual({ tier, zone }, { tier: undefined, zone: "blue" });
    assert.equal(metadata.annotations?.["note"], undefined);
    await assertByHand();
    await stack.assertSettled();
  });

  it("stay when the exported Service gets another value for a label that is copied", async () => {
    await patchService(world.kube.west, web, { metadata: { labels: { zone: "green" } } });
    await stack.up();
    const { metadata } = await world.kube.east.get(kinds.Service, nameOf(mirror));
    assert.equal(metadata.labels?.["zone"], "green");
    await assertByHand();
  });

  async function assertByHand(): Promise<void> {
    for (const kind of [kinds.Service, kinds.Endpoints]) {
      const { metadata } = await world.kube.east.get(kind, nameOf(mirror));
      assert.equal(metadata.labels?.["by-hand"], "kept", kind.kind);
      assert.equal(metadata.annotations?.["by-hand"], "kept", kind.kind);
    }
  }
});
