import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import { repeated } from "../../reliability/effort.ts";
import {
  cluster,
  happen,
  type Happening,
  happenings,
  neverBreaks,
  restartAll,
  unknowns,
} from "./happenings.ts";
import { World } from "./world.ts";

/** Whatever happens to a mesh of many stacks, in any order. */
type Event =
  | { readonly kind: "publish" | "round" }
  | { readonly kind: "begin" | "run"; readonly cluster: string }
  | { readonly kind: "finish"; readonly cluster: string; readonly parts: readonly string[] }
  | Happening;

const parts = fc.oneof(
  { weight: 3, arbitrary: fc.constant(["issuer", "bundle"]) },
  fc.subarray(["issuer", "bundle"]),
);
const event = fc.oneof<fc.Arbitrary<Event>[]>(
  fc.record({ kind: fc.constantFrom("publish", "publish", "round") }),
  fc.record({ kind: fc.constantFrom("begin", "run", "run"), cluster }),
  fc.record({ kind: fc.constant("finish"), cluster, parts }),
  ...happenings,
);

function run(world: World, name: string): void {
  world.begin(name);
  world.finish(name, () => true);
}

function play(world: World, event: Event): string {
  switch (event.kind) {
    case "publish":
      return world.publish();
    case "round":
      return round(world);
    case "begin":
      world.begin(event.cluster);
      break;
    case "run":
      run(world, event.cluster);
      break;
    case "finish":
      world.finish(event.cluster, (part) => event.parts.includes(part));
      break;
    default:
      happen(world, event);
  }
  return event.kind;
}

function runAll(world: World): void {
  for (const name of world.clusters.keys()) run(world, name);
}

/** As it goes where nothing comes in between. */
function round(world: World): string {
  const stage = world.publish();
  runAll(world);
  world.pass(6 * 60_000);
  restartAll(world);
  world.pass(6 * 60_000);
  return stage;
}

function started(unknown?: "keep" | "remove"): World {
  const world = new World(["west", "east"], unknown);
  world.publish();
  runAll(world);
  return world;
}

describe("trust of many stacks: any order of their runs, restarts, outages and changes of mind", () => {
  it("never makes one proxy refuse another", () => {
    neverBreaks({ started, event, play }, { maxLength: 80, numRuns: repeated(100) });
  });

  it("comes to an end once every stack runs and workloads are restarted", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), unknowns, (events, unknown) => {
        const world = started(unknown);
        for (const each of events) play(world, each);
        for (const name of world.clusters.keys()) {
          world.reach(name, true);
          world.finish(name, () => true);
        }
        const stages = Array.from({ length: 8 }, () => round(world));
        deepEqual([stages.at(-1), world.broken()], ["settled", []], stages.join());
      }),
      { numRuns: repeated(15) },
    );
  });

  for (const step of [0, 2, 3])
    it(`gives a new cluster no anchor that somebody has added to one that is away, after step ${step}`, () => {
      const world = started();
      world.turn("on");
      Array.from({ length: step }, () => round(world));
      world.intrude("west");
      world.publish();
      runAll(world);
      world.turn("on");
      world.publish();
      world.reach("west", false);
      world.add("north");
      world.publish();
      run(world, "north");
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
    run(world, "west");
    run(world, "east");
    deepEqual([world.broken(), world.rogues()], [[], {}]);
  });

  it("takes no step back that a stack could still apply", () => {
    const world = started();
    world.turn("on");
    deepEqual(world.publish(), "bundle");
    world.begin("east");
    // Were this to publish what east has now, its next run would read that.
    world.reach("west", false);
    deepEqual(world.publish(), "waiting");
    world.finish("east", () => true);
    world.begin("east");
    world.reach("west", true);
    deepEqual(world.publish(), "bundle");
    run(world, "west");
    restartAll(world);
    deepEqual(world.publish(), "reissue");
    run(world, "west");
    world.finish("east", () => true);
    world.pass(6 * 60_000);
    restartAll(world);
    deepEqual(world.broken(), []);
  });

  it("publishes a step again until every cluster has it", () => {
    const world = started();
    world.turn("on");
    const stages: string[] = [];
    const publish = () => stages.push(world.publish());
    publish();
    run(world, "west");
    publish();
    run(world, "east");
    restartAll(world);
    publish();
    run(world, "west");
    world.begin("east");
    world.pass(6 * 60_000);
    restartAll(world);
    // One proxy more that waits for nothing must not take the step back.
    world.reach("west", false);
    publish();
    world.reach("west", true);
    publish();
    world.finish("east", () => true);
    world.pass(6 * 60_000);
    restartAll(world);
    publish();
    deepEqual(stages, ["bundle", "bundle", "reissue", "waiting", "reissue", "drop"]);
  });
});
