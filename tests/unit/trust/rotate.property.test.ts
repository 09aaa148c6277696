import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { World } from "./world.ts";

/** Whatever people and networks do, in any order. */
type Event =
  | { readonly kind: "up"; readonly reached: number }
  | { readonly kind: "turn"; readonly direction: "on" | "back" }
  | { readonly kind: "restart"; readonly cluster: string; readonly pod: number }
  | { readonly kind: "restart all"; readonly of: readonly string[] }
  | { readonly kind: "pass"; readonly minutes: number }
  | { readonly kind: "reach"; readonly cluster: string; readonly readable: boolean }
  | { readonly kind: "add" };

const cluster = fc.constantFrom("west", "east", "north");
const all = 0b11_11_11;
const event = fc.oneof<fc.Arbitrary<Event>[]>(
  fc.record({
    kind: fc.constant("up"),
    reached: fc.oneof({ weight: 3, arbitrary: fc.constant(all) }, fc.nat({ max: all })),
  }),
  fc.record({ kind: fc.constant("up"), reached: fc.constant(all) }),
  fc.record({ kind: fc.constant("turn"), direction: fc.constantFrom("on", "on", "back") }),
  fc.record({ kind: fc.constant("restart"), cluster, pod: fc.nat({ max: 2 }) }),
  fc.record({
    kind: fc.constant("restart all"),
    of: fc.subarray(["west", "east", "north"], { minLength: 1 }),
  }),
  fc.record({ kind: fc.constant("pass"), minutes: fc.constantFrom(1, 6, 600, 1500) }),
  fc.record({ kind: fc.constant("reach"), cluster, readable: fc.boolean() }),
  fc.record({ kind: fc.constant("add") }),
);

function play(world: World, event: Event): string {
  switch (event.kind) {
    case "up":
      return world.up((name, part) => {
        const bit = ["west", "east", "north"].indexOf(name) * 2 + (part === "bundle" ? 1 : 0);
        return (event.reached & (1 << bit)) !== 0;
      });
    case "turn":
      world.turn(event.direction);
      return event.direction;
    case "restart":
      world.restart(event.cluster, event.pod);
      break;
    case "restart all":
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

function restartAll(world: World, names: Iterable<string> = world.clusters.keys()): void {
  for (const name of names) for (const pod of [0, 1, 2]) world.restart(name, pod);
}

const unknowns = fc.constantFrom("keep" as const, "remove" as const);

function started(unknown?: "keep" | "remove"): World {
  const world = new World(["west", "east"], unknown);
  world.up(() => true);
  return world;
}

describe("trust: any order of runs, restarts, outages and changes of mind", () => {
  it("never makes one proxy refuse another", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 10, maxLength: 60 }),
        unknowns,
        (events, unknown) => {
          const world = started(unknown);
          for (const each of events) {
            seen.add(play(world, each));
            deepEqual(world.broken(), []);
          }
        },
      ),
      { numRuns: 1500 },
    );
    const stages = ["settled", "bundle", "reissue", "drop", "waiting"];
    ok(
      stages.every((stage) => seen.has(stage)),
      [...seen].join(),
    );
  });

  it("comes to an end once clusters are in reach and workloads are restarted", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), unknowns, (events, unknown) => {
        const world = started(unknown);
        for (const each of events) play(world, each);
        for (const name of world.clusters.keys()) world.reach(name, true);
        const stages = Array.from({ length: 7 }, () => {
          const stage = world.up(() => true);
          world.pass(6 * 60_000);
          restartAll(world);
          world.pass(6 * 60_000);
          return stage;
        });
        deepEqual([stages.at(-1), world.broken()], ["settled", []], stages.join());
      }),
      { numRuns: 500 },
    );
  });

  it("goes from anchor to anchor in three runs with restarts between them", () => {
    const world = started();
    world.turn("on");
    const stages = Array.from({ length: 5 }, () => {
      const stage = world.up(() => true);
      world.pass(6 * 60_000);
      restartAll(world);
      return stage;
    });
    deepEqual(stages, ["bundle", "reissue", "drop", "settled", "settled"]);
  });
});
