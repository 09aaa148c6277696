import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { World } from "./world.ts";

export const names: readonly string[] = ["west", "east", "north"];
export const cluster = fc.constantFrom(...names);

/** Something that happens to a world. Where it is a run of a stack, it returns its stage. */
type Happening = (world: World) => unknown;

export function happening<T>(
  name: string,
  values: fc.Arbitrary<T>,
  happen: (world: World, value: T) => unknown,
): fc.Arbitrary<Happening> {
  return values.map((value) => {
    const shown = { [fc.toStringMethod]: () => `${name} ${fc.stringify(value)}` };
    return Object.assign((world: World) => happen(world, value), shown);
  });
}

/** What people and networks do to a mesh, beside the runs of its stacks. */
const happenings = [
  happening("turn", fc.constantFrom("on", "on", "back"), (world, to) => {
    world.turn(to);
  }),
  happening("restart all", fc.subarray([...names], { minLength: 1 }), (world, of) => {
    for (const name of of) world.restart(name);
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

/** A mesh, the runs of its stacks, and a round of these after which workloads are restarted. */
export interface Story {
  readonly runs: readonly fc.Arbitrary<Happening>[];
  readonly round: (world: World) => string;
}

const unknowns = fc.constantFrom("keep", "remove");

/**
 * After no event does one proxy refuse another, or a cluster trust what somebody has added to another
 * one or lack what the config adds; and every stage comes up.
 */
export function neverBreaks({ runs, round }: Story, maxLength: number, numRuns: number): void {
  const seen = new Set<unknown>();
  const events = fc.array(fc.oneof(...runs, ...happenings), { minLength: 10, maxLength });
  fc.assert(
    fc.property(events, unknowns, (all, unknown) => {
      const world = new World(unknown);
      round(world);
      for (const happen of all) {
        seen.add(happen(world));
        deepEqual([world.broken(), world.astray()], [[], []]);
      }
    }),
    { numRuns },
  );
  const stages = ["settled", "bundle", "reissue", "drop", "waiting"];
  ok(
    stages.every((stage) => seen.has(stage)),
    [...seen].join(),
  );
}

/** Whatever has happened, so many rounds later all is settled. */
export function comesToAnEnd({ runs, round }: Story, rounds: number, numRuns: number): void {
  const events = fc.array(fc.oneof(...runs, ...happenings), { maxLength: 20 });
  fc.assert(
    fc.property(events, unknowns, (all, unknown) => {
      const world = new World(unknown);
      round(world);
      for (const happen of all) happen(world);
      for (const name of world.clusters.keys()) {
        world.reach(name, true);
        world.finish(name);
      }
      const stages = Array.from({ length: rounds }, () => round(world));
      deepEqual([stages.at(-1), world.broken()], ["settled", []], stages.join());
    }),
    { numRuns },
  );
}
