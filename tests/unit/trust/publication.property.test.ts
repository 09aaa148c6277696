import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { World } from "./world.ts";

/** Certificates are read over and over, which takes its time. */
const runs = 250;
const names = ["west", "east", "north"];
const cluster = fc.constantFrom(...names);

/** Whatever happens to a mesh of many stacks, in any order. */
type Event =
  | { readonly kind: "publish" | "round" }
  | { readonly kind: "begin" | "run"; readonly cluster: string }
  | { readonly kind: "finish"; readonly cluster: string; readonly parts: readonly string[] }
  | { readonly kind: "turn"; readonly direction: "on" | "back" }
  | { readonly kind: "restart"; readonly of: readonly string[] }
  | { readonly kind: "pass"; readonly minutes: number }
  | { readonly kind: "reach"; readonly cluster: string; readonly readable: boolean }
  | { readonly kind: "add" };

const parts = fc.oneof(
  { weight: 3, arbitrary: fc.constant(["issuer", "bundle"]) },
  fc.subarray(["issuer", "bundle"]),
);
const event = fc.oneof<fc.Arbitrary<Event>[]>(
  fc.record({ kind: fc.constantFrom("publish", "publish", "round") }),
  fc.record({ kind: fc.constantFrom("begin", "run", "run"), cluster }),
  fc.record({ kind: fc.constant("finish"), cluster, parts }),
  fc.record({ kind: fc.constant("turn"), direction: fc.constantFrom("on", "on", "back") }),
  fc.record({ kind: fc.constant("restart"), of: fc.subarray(names, { minLength: 1 }) }),
  fc.record({ kind: fc.constant("pass"), minutes: fc.constantFrom(1, 6, 600, 1500) }),
  fc.record({ kind: fc.constant("reach"), cluster, readable: fc.boolean() }),
  fc.record({ kind: fc.constant("add") }),
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
    case "turn":
      world.turn(event.direction);
      break;
    case "restart":
      restartAll(world, event.of);
      break;
    case "pass":
      world.pass(event.minutes * 60_000);
      break;
    case "reach":
      world.reach(event.cluster, event.readable);
      break;
    case "add":
      world.add("north");
  }
  return event.kind;
}

function restartAll(world: World, of: Iterable<string> = world.clusters.keys()): void {
  for (const name of of) for (const pod of [0, 1, 2]) world.restart(name, pod);
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

const unknowns = fc.constantFrom("keep" as const, "remove" as const);

function started(unknown?: "keep" | "remove"): World {
  const world = new World(["west", "east"], unknown);
  world.publish();
  runAll(world);
  return world;
}

describe("trust of many stacks: any order of their runs, restarts, outages and changes of mind", () => {
  it("never makes one proxy refuse another", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 10, maxLength: 80 }),
        unknowns,
        (events, unknown) => {
          const world = started(unknown);
          for (const each of events) {
            seen.add(play(world, each));
            deepEqual(world.broken(), []);
          }
        },
      ),
      { numRuns: runs },
    );
    const stages = ["settled", "bundle", "reissue", "drop", "waiting"];
    ok(
      stages.every((stage) => seen.has(stage)),
      [...seen].join(),
    );
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
      { numRuns: 100 },
    );
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
