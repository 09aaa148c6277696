import assert from "node:assert/strict";
import { join } from "node:path";

import { removeService } from "../mirroring/changes.ts";
import { installGateway } from "../mirroring/gateway.ts";
import { exportedService, service } from "../mirroring/objects.ts";
import { Stack } from "../mirroring/stack.ts";
import { create, createNamespaces, each, emptyWorld, type World } from "../mirroring/world.ts";
import { servicesIn } from "./live.ts";

const namespace = "refreshed";
const names = Array.from({ length: 12 }, (_, index) => `web-${String(index)}`);
const clusters = { west: {}, east: {} };
const link = { source: "east", target: "west" };
const toNorth = { source: "east", target: "north", gateway: false };

/** What a run remembers is the engine's to keep. Each test goes on from the one before. */
describe("a stack that is refreshed in the real engine", function () {
  this.timeout("3m");

  let world: World;
  let stack: Stack;

  before(async function () {
    this.timeout("20m");
    world = await emptyWorld();
    const { west, east } = world.kube;
    await installGateway(west);
    await createNamespaces(east, [namespace]);
    await create(
      west,
      names.flatMap((name) => exportedService(`${namespace}/${name}`)),
    );
    // One that cannot be mirrored.
    await create(west, exportedService(`${namespace}/taken`));
    await create(east, [service(`${namespace}/taken-west`, {})]);
    const north = { clusters: { ...clusters, north: {} }, links: [link, toNorth] };
    stack = await Stack.create(world, namespace, north);
    await stack.up();
  });

  it("is at rest with one Service that cannot be mirrored, with and without a refresh", async () => {
    await stack.assertSettled();
    await stack.upRefreshed(["--expect-no-changes"]);
  });

  it("keeps the deletion guard of a link that was once allowed more", async () => {
    const both = { ...clusters, north: {} };
    const allowing = { clusters: both, links: [{ ...link, allowDeletions: true }, toNorth] };
    await stack.configure(allowing);
    await stack.up();
    await stack.configure({ clusters: both, links: [link, toNorth] });
    await stack.up();
    // Dropped by a slip.
    await stack.configure({ clusters: both, links: [toNorth] });
    const { text } = await stack.upRefreshed([], { fails: true });
    assert.match(
      text,
      /link east\/west is no longer in the config.* maxDeletions \(50%\) allows 6/,
    );
    assert.equal((await mirrors()).length, names.length);
  });

  it("leaves what others mirror after a link was removed, by a refresh and by a destroy", async () => {
    const both = { ...clusters, north: {} };
    await stack.configure({
      ...{ clusters: both, links: [toNorth] },
      linkDefaults: { allowDeletions: true },
    });
    await stack.up();
    assert.deepEqual(await mirrors(), []);
    const labels = {
      "mirror.linkerd.io/mirrored-service": "true",
      "mirror.linkerd.io/cluster-name": "west",
    };
    const theirs = ["a-west", "b-west"];
    await create(
      world.kube.east,
      theirs.map((name) => service(`${namespace}/${name}`, { labels })),
    );
    await stack.upRefreshed([]);
    assert.deepEqual(await mirrors(), theirs);
    await stack.destroy();
    assert.deepEqual(await mirrors(), theirs);
    await each(theirs, (name) => removeService(world.kube.east, `${namespace}/${name}`));
  });

  it("takes along what a run has brought that failed, although its state does not know the link", async () => {
    const all = { ...clusters, north: {} };
    await stack.configure({ clusters: all, links: [toNorth] });
    await stack.up();
    const { north } = world.kube;
    const discovered = { "mirror.linkerd.io/exported": "remote-discovery" };
    await create(north, [service(`${namespace}/flat`, { labels: discovered })]);
    const none = { ...toNorth, maxDeletions: 0 };
    await stack.configure({ clusters: all, links: [none] });
    await stack.up();
    await removeService(north, `${namespace}/flat`);
    // What the guard refuses of one link fails the run that brings another.
    await stack.configure({ clusters: all, links: [link, none] });
    await stack.up({ fails: true });
    assert.equal((await mirrors()).length, names.length + 1);
    const strict = { ...none, allowDeletions: false };
    await stack.configure({
      ...{ clusters: all, links: [strict] },
      linkDefaults: { allowDeletions: true },
    });
    const { text } = await stack.preview();
    assert.match(text, /east <- west: -12/);
    await stack.up({ fails: true });
    assert.deepEqual(await mirrors(), ["flat-north"]);
    await stack.configure({ clusters: all, links: [{ ...none, allowDeletions: true }] });
    await stack.up();
    assert.deepEqual(await mirrors(), []);
    await stack.destroy();
  });

  it("keeps to a saved plan in an outage", async () => {
    await stack.configure({ clusters: { ...clusters, north: {} }, links: [link, toNorth] });
    await stack.up();
    await world.bed.clusters.north.cut();
    try {
      const plan = join(world.bed.folder, `${namespace}.plan`);
      await stack.savePlan(plan);
      await stack.upByPlan(plan);
      // A second outage of a run is no news.
      await stack.previewNothing();
    } finally {
      await world.bed.clusters.north.restore();
    }
    await stack.up();
    await stack.destroy();
  });

  async function mirrors(): Promise<readonly string[]> {
    const all = await servicesIn(world.kube.east, namespace);
    return all.filter((name) => name !== "taken-west");
  }
});
