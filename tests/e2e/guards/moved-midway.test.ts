import assert from "node:assert/strict";

import type { Methods } from "../mirroring/methods.ts";
import { emptyWorld, type World } from "../mirroring/world.ts";
import { servicesIn, versionsIn } from "./live.ts";
import { type Midway, midway } from "./midway.ts";

const namespace = "moved-midway";

describe("a context that comes to mean another cluster between the plan and the writes", function () {
  this.timeout("2m");

  let world: World;
  let link: Midway;
  let stack: Methods;
  let services: readonly string[];

  before(async function () {
    this.timeout("20m");
    world = await emptyWorld();
    link = await midway(world, namespace);
    await link.exportService("web");
  });
  beforeEach(async () => {
    stack = await link.newStack();
    await stack.up();
    services = await servicesIn(world.kube.east, namespace);
    await link.exportService(`more-${String(services.length)}`);
  });
  afterEach(async () => {
    await link.point({});
    await stack.up();
    assert.equal((await servicesIn(world.kube.east, namespace)).length, services.length + 1);
  });

  it("keeps a first run from writing to another source", async () => {
    await untouched(await link.newStack(), () => link.point({ east: "north" }));
  });

  it("keeps an update from writing to another source", async () => {
    await untouched(stack, () => link.point({ east: "north" }));
  });

  it("keeps an update from taking another target's lack of exports for an answer", async () => {
    await untouched(stack, () => link.point({ west: "north" }));
  });

  /** A run that fails with the right sentence, and writes nowhere. */
  async function untouched(failing: Methods, meanwhile: () => Promise<void>): Promise<void> {
    const { east, north } = world.kube;
    const both = () => Promise.all([versionsIn(east, namespace), versionsIn(north, namespace)]);
    const before = await both();
    const { failure } = await failing.upWith(meanwhile, { fails: true });
    assert.deepEqual(await both(), before);
    assert.match(failure, /leads to another cluster/);
  }
});
