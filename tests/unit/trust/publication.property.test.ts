import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import { repeated } from "../../reliability/effort.ts";
import { cluster, comesToAnEnd, happening, neverBreaks, type Story } from "./happenings.ts";
import { type Part, World } from "./world.ts";

/** As it goes where nothing comes in between. */
function round(world: World): string {
  const stage = world.publish();
  world.run(...world.clusters.keys());
  world.pass(6);
  world.restartAll();
  world.pass(6);
  return stage;
}

function started(): World {
  const world = new World();
  round(world);
  return world;
}

const parts: readonly Part[] = ["issuer", "bundle"];
const someParts = fc.oneof({ weight: 3, arbitrary: fc.constant(parts) }, fc.subarray([...parts]));
const publishing = happening("publish", fc.constant(""), (world) => world.publish());
const running = happening("run", cluster, (world, name) => {
  world.run(name);
});
const story: Story = {
  round,
  runs: [
    ...[publishing, publishing, running, running],
    happening("round", fc.constant(""), round),
    happening("begin", cluster, (world, name) => {
      world.begin(name);
    }),
    happening("finish", fc.tuple(cluster, someParts), (world, [name, reached]) => {
      world.finish(name, reached);
    }),
  ],
};

describe("trust of many stacks: any order of their runs, restarts, outages and changes of mind", () => {
  it("never makes one proxy refuse another", () => {
    neverBreaks(story, 80, repeated(100));
  });

  it("comes to an end once every stack runs and workloads are restarted", () => {
    comesToAnEnd(story, 8, repeated(15));
  });

  for (const step of [0, 2, 3])
    it(`gives a new cluster no anchor that somebody has added to one that is away, after step ${step}`, () => {
      const world = started();
      world.turn("on");
      for (let done = 0; done < step; done += 1) round(world);
      world.intrude("west");
      world.publish();
      world.run("west", "east");
      world.turn("on");
      world.publish();
      world.reach("west", false);
      world.add("north");
      world.publish();
      world.run("north");
      deepEqual([world.broken(), world.astray()], [[], []]);
    });

  it("gives a cluster that was built again nothing that somebody had added to the one before", () => {
    const world = started();
    world.intrude("west");
    round(world);
    world.turn("on");
    world.publish();
    world.rebuild("west");
    world.publish();
    world.run("west", "east");
    deepEqual([world.broken(), world.rogues()], [[], []]);
  });

  it("takes no step back that a stack could still apply", () => {
    const world = started();
    world.turn("on");
    deepEqual(world.publish(), "bundle");
    world.begin("east");
    // Were this to publish what east has now, its next run would read that.
    world.reach("west", false);
    deepEqual(world.publish(), "waiting");
    world.finish("east");
    world.begin("east");
    world.reach("west", true);
    deepEqual(world.publish(), "bundle");
    world.run("west");
    world.restartAll();
    deepEqual(world.publish(), "reissue");
    world.run("west");
    world.finish("east");
    world.pass(6);
    world.restartAll();
    deepEqual(world.broken(), []);
  });

  it("publishes a step again until every cluster has it", () => {
    const world = started();
    world.turn("on");
    const stages = [world.publish()];
    world.run("west");
    stages.push(world.publish());
    world.run("east");
    world.restartAll();
    stages.push(world.publish());
    world.run("west");
    world.begin("east");
    world.pass(6);
    world.restartAll();
    // One proxy more that waits for nothing must not take the step back.
    world.reach("west", false);
    stages.push(world.publish());
    world.reach("west", true);
    stages.push(world.publish());
    world.finish("east");
    world.pass(6);
    world.restartAll();
    stages.push(world.publish());
    deepEqual(stages, ["bundle", "bundle", "reissue", "waiting", "reissue", "drop"]);
  });
});
