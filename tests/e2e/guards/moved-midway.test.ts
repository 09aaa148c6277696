import assert from "node:assert/strict";

import { emptyWorld, type World } from "../mirroring/world.ts";
import { servicesIn, versionsIn } from "./live.ts";
import { type Kept, run } from "./methods.ts";
import { type Midway, midway } from "./midway.ts";

const namespace = "moved-midway";
const nothing = () => Promise.resolve();

describe("a context that comes to mean another cluster between the plan and the writes", function () {
  this.timeout("2m");

  let world: World;
  let link: Midway;
  let kept: Kept | undefined;
  let services: readonly string[];

  before(async function () {
    this.timeout("20m");
    world = await emptyWorld();
    link = await midway(world, namespace);
    await link.exportService("web");
  });
  beforeEach(async () => {
    ({ kept } = await run(link.question, undefined, nothing));
    services = await servicesIn(world.kube.east, namespace);
    await link.exportService(`more-${String(services.length)}`);
  });
  afterEach(async () => {
    await link.point({});
    const { failure } = await run(link.question, kept, nothing);
    assert.equal(failure, undefined);
    assert.equal((await servicesIn(world.kube.east, namespace)).length, services.length + 1);
  });

  it("keeps a first run from writing to another source", async () => {
    await untouched(() => run(link.question, undefined, () => link.point({ east: "north" })));
  });

  it("keeps an update from writing to another source", async () => {
    await untouched(() => run(link.question, kept, () => link.point({ east: "north" })));
  });

  it("keeps an update from taking another target's lack of exports for an answer", async () => {
    await untouched(() => run(link.question, kept, () => link.point({ west: "north" })));
  });

  /** A run that fails with the right sentence, and writes nowhere. */
  async function untouched(failing: () => ReturnType<typeof run>): Promise<void> {
    const { east, north } = world.kube;
    const both = () => Promise.all([versionsIn(east, namespace), versionsIn(north, namespace)]);
    const before = await both();
    const { failure } = await failing();
    assert.deepEqual(await both(), before);
    assert.match(failure ?? "the run ended well", /leads to another cluster/);
  }
});
