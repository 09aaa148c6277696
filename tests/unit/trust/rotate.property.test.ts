import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { repeated } from "../../reliability/effort.ts";
import { everyPart, names, World } from "./world.ts";

const cluster = fc.constantFrom(...names);

/** A run of a stack returns its stage. */
type Happening = (world: World) => unknown;

function happening<T>(
  name: string,
  values: fc.Arbitrary<T>,
  happen: (world: World, value: T) => unknown,
): fc.Arbitrary<Happening> {
  return values.map((value) => {
    const shown = { [fc.toStringMethod]: () => `${name} ${fc.stringify(value)}` };
    return Object.assign((world: World) => happen(world, value), shown);
  });
}

/** People and networks do this to a mesh, beside the runs of its stacks. */
const happenings = [
  happening("turn", fc.constantFrom("on", "on", "back"), (world, to) => {
    world.turn(to);
  }),
  happening("restart all", fc.subarray([...names], { minLength: 1 }), (world, of) => {
    world.restart(of);
  }),
  happening("pass", fc.constantFrom(1, 6, 600, 1500), (world, minutes) => {
    world.pass(minutes);
  }),
  happening("reach", fc.tuple(cluster, fc.boolean()), (world, [name, readable]) => {
    world.reach(name, readable);
  }),
  happening("intrude", cluster, (world, name) => {
    world.intrude(name);
  }),
  happening("add", fc.constant("north"), (world, name) => {
    world.add(name);
  }),
];

interface Story {
  readonly runs: readonly fc.Arbitrary<Happening>[];
  readonly round: (world: World) => string;
}

function roundOf(run: (world: World) => string) {
  return (world: World): string => {
    const stage = run(world);
    world.pass(6);
    world.restart();
    world.pass(6);
    return stage;
  };
}

const someParts = fc.oneof(
  { weight: 7, arbitrary: fc.constant(everyPart) },
  fc.subarray([...everyPart]),
);
const up = happening("up", fc.tuple(someParts, someParts, someParts), (world, reached) =>
  world.up((name) => reached[names.indexOf(name)] ?? []),
);
const restart = happening(
  "restart",
  fc.tuple(cluster, fc.constantFrom("control", "web", "db")),
  (world, [name, pod]) => {
    world.restart([name], [pod]);
  },
);
const oneStack: Story = { round: roundOf((world) => world.up()), runs: [up, up, restart] };

const publishing = happening("publish", fc.constant(""), (world) => world.publish());
function run(world: World, name: string): void {
  world.begin(name);
  world.finish(name);
}
const running = happening("run", cluster, run);
const published = roundOf((world) => {
  const stage = world.publish();
  for (const name of world.clusters.keys()) run(world, name);
  return stage;
});
const manyStacks: Story = {
  round: published,
  runs: [
    ...[publishing, publishing, running, running],
    happening("round", fc.constant(""), published),
    happening("begin", cluster, (world, name) => {
      world.begin(name);
    }),
    happening("finish", fc.tuple(cluster, someParts), (world, [name, reached]) => {
      world.finish(name, reached);
    }),
  ],
};

const unknowns = fc.constantFrom("keep", "remove");

/** `maxLength` events are tried `times` times; `rounds` runs of every stack finish a rotation, tried `ends` times. */
for (const [of, story, [maxLength, times], [rounds, ends]] of [
  ["of one stack", oneStack, [60, 500], [7, 50]],
  ["of many stacks", manyStacks, [80, 100], [8, 15]],
] as const)
  describe(`trust ${of}: any order of runs, restarts, outages and changes of mind`, () => {
    const { round, runs } = story;

    /** Nor does a cluster trust what somebody has added to another, or lack what the config adds. */
    it("never makes one proxy refuse another", () => {
      const seen = new Set<unknown>();
      const events = fc.array(fc.oneof(...runs, ...happenings), { minLength: 10, maxLength });
      fc.assert(
        fc.property(events, unknowns, (happen, unknown) => {
          const world = Object.assign(new World(), { unknown });
          round(world);
          for (const each of happen) {
            seen.add(each(world));
            deepEqual([world.broken(), world.astray()], [[], []]);
          }
        }),
        { numRuns: repeated(times) },
      );
      const stages = ["settled", "bundle", "reissue", "drop", "waiting"];
      ok(
        stages.every((stage) => seen.has(stage)),
        [...seen].join(),
      );
    });

    it("comes to an end once every stack runs and workloads are restarted", () => {
      const events = fc.array(fc.oneof(...runs, ...happenings), { maxLength: 20 });
      fc.assert(
        fc.property(events, unknowns, (happen, unknown) => {
          const world = Object.assign(new World(), { unknown });
          round(world);
          for (const each of happen) each(world);
          for (const name of world.clusters.keys()) {
            world.reach(name, true);
            world.finish(name);
          }
          const stages = Array.from({ length: rounds }, () => round(world));
          deepEqual([stages.at(-1), world.broken()], ["settled", []], stages.join());
        }),
        { numRuns: repeated(ends) },
      );
    });
  });
