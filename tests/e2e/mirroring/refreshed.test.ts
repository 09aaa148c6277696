import assert from "node:assert/strict";
import { join } from "node:path";

import { installGateway } from "./gateway.ts";
import { servicesIn } from "./live.ts";
import { exportedService, service } from "./objects.ts";
import { Stack } from "./stack.ts";
import { create, createNamespaces, emptyBed, type SharedBed } from "./shared-bed.ts";

const namespace = "refreshed";
const names = Array.from({ length: 12 }, (_, index) => `web-${String(index)}`);
const clusters = { west: {}, east: {}, north: {} };
const link = { source: "east", target: "west" };
const toNorth = { source: "east", target: "north", gateway: false };

/**
 * What a run remembers is the engine's to keep; the histories of tests/reliability say what may come of it. Each test
 * goes on from the one before.
 */
describe("a stack that is refreshed in the real engine", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;

  before(async () => {
    shared = await emptyBed();
    const { west, east } = shared.kube;
    await installGateway(west);
    await createNamespaces(east, [namespace]);
    await create(
      west,
      names.flatMap((name) => exportedService(`${namespace}/${name}`)),
    );
    // One that cannot be mirrored.
    await create(west, exportedService(`${namespace}/taken`));
    await create(east, [service(`${namespace}/taken-west`, {})]);
    const links = [{ ...link, allowDeletions: true }, toNorth];
    stack = await Stack.create(shared, namespace, { clusters, links });
    await stack.up();
  });

  it("is at rest with one Service that cannot be mirrored", async () => {
    await stack.upRefreshed(["--expect-no-changes"]);
  });

  it("keeps to a saved plan in an outage", async () => {
    await shared.bed.clusters.north.cut();
    try {
      const plan = join(shared.bed.folder, `${namespace}.plan`);
      await stack.savePlan(plan);
      await stack.upByPlan(plan);
    } finally {
      await shared.bed.clusters.north.restore();
    }
  });

  it("keeps the deletion guard of a link that was once allowed more", async () => {
    // A quiet run, and then the link is dropped by a slip.
    await stack.configure({ clusters, links: [link, toNorth] });
    await stack.up();
    await stack.configure({ clusters, links: [toNorth] });
    const { text } = await stack.upRefreshed([], { fails: true });
    assert.match(
      text,
      /link east\/west is no longer in the config.* maxDeletions \(50%\) allows 6/,
    );
    assert.equal((await mirrors()).length, names.length);
  });

  it("leaves what others mirror after a link was removed, by a refresh and by a destroy", async () => {
    await stack.configure({ clusters, links: [toNorth], linkDefaults: { allowDeletions: true } });
    await stack.up();
    assert.deepEqual(await mirrors(), []);
    const labels = {
      "mirror.linkerd.io/mirrored-service": "true",
      "mirror.linkerd.io/cluster-name": "west",
    };
    const theirs = ["a-west", "b-west"];
    await create(
      shared.kube.east,
      theirs.map((name) => service(`${namespace}/${name}`, { labels })),
    );
    await stack.upRefreshed([]);
    assert.deepEqual(await mirrors(), theirs);
    await stack.destroy();
    assert.deepEqual(await mirrors(), theirs);
  });

  async function mirrors(): Promise<readonly string[]> {
    const all = await servicesIn(shared.kube.east, namespace);
    return all.filter((name) => name !== "taken-west");
  }
});
