import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import { repeated } from "../../reliability/effort.ts";
import {
  cluster,
  happen,
  type Happening,
  happenings,
  names,
  neverBreaks,
  restartAll,
  unknowns,
} from "./happenings.ts";
import { World } from "./world.ts";

/** Whatever people and networks do, in any order. */
type Event =
  | { readonly kind: "up"; readonly reached: number }
  | { readonly kind: "restart"; readonly cluster: string; readonly pod: number }
  | Happening;

const all = 0b11_11_11;
const event = fc.oneof<fc.Arbitrary<Event>[]>(
  fc.record({
    kind: fc.constant("up"),
    reached: fc.oneof({ weight: 3, arbitrary: fc.constant(all) }, fc.nat({ max: all })),
  }),
  fc.record({ kind: fc.constant("up"), reached: fc.constant(all) }),
  fc.record({ kind: fc.constant("restart"), cluster, pod: fc.nat({ max: 2 }) }),
  ...happenings,
);

function play(world: World, event: Event): string {
  switch (event.kind) {
    case "up":
      return world.up((name, part) => {
        const bit = names.indexOf(name) * 2 + (part === "bundle" ? 1 : 0);
        return (event.reached & (1 << bit)) !== 0;
      });
    case "restart":
      world.restart(event.cluster, event.pod);
      break;
    default:
      happen(world, event);
  }
  return event.kind;
}

function started(unknown?: "keep" | "remove"): World {
  const world = new World(["west", "east"], unknown);
  world.up(() => true);
  return world;
}

describe("trust: any order of runs, restarts, outages and changes of mind", () => {
  it("never makes one proxy refuse another", () => {
    neverBreaks({ started, event, play }, { maxLength: 60, numRuns: repeated(200) });
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
      { numRuns: repeated(50) },
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
