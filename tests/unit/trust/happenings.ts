import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { World } from "./world.ts";

export const names: readonly string[] = ["west", "east", "north"];
export const cluster = fc.constantFrom(...names);
export const unknowns = fc.constantFrom("keep" as const, "remove" as const);

/** What people and networks do to a mesh, beside the runs of its stacks. */
export type Happening =
  | { readonly kind: "turn"; readonly direction: "on" | "back" }
  | { readonly kind: "restart all"; readonly of: readonly string[] }
  | { readonly kind: "pass"; readonly minutes: number }
  | { readonly kind: "reach"; readonly cluster: string; readonly readable: boolean }
  | { readonly kind: "intrude"; readonly cluster: string }
  | { readonly kind: "add" };

export const happenings: readonly fc.Arbitrary<Happening>[] = [
  fc.record({ kind: fc.constant("turn"), direction: fc.constantFrom("on", "on", "back") }),
  fc.record({ kind: fc.constant("restart all"), of: fc.subarray([...names], { minLength: 1 }) }),
  fc.record({ kind: fc.constant("pass"), minutes: fc.constantFrom(1, 6, 600, 1500) }),
  fc.record({ kind: fc.constant("reach"), cluster, readable: fc.boolean() }),
  fc.record({ kind: fc.constant("intrude"), cluster }),
  fc.record({ kind: fc.constant("add") }),
];

export function happen(world: World, happening: Happening): void {
  switch (happening.kind) {
    case "turn":
      world.turn(happening.direction);
      break;
    case "restart all":
      restartAll(world, happening.of);
      break;
    case "pass":
      world.pass(happening.minutes * 60_000);
      break;
    case "reach":
      world.reach(happening.cluster, happening.readable);
      break;
    case "intrude":
      world.intrude(happening.cluster);
      break;
    case "add":
      world.add("north");
  }
}

export function restartAll(world: World, of: Iterable<string> = world.clusters.keys()): void {
  for (const name of of) for (const pod of [0, 1, 2]) world.restart(name, pod);
}

/** A world from its start, and what can become of it. */
export interface Story<Event> {
  readonly started: (unknown?: "keep" | "remove") => World;
  readonly event: fc.Arbitrary<Event>;
  /** Returns the stage of a run, and of other events what tells them from one. */
  readonly play: (world: World, event: Event) => string;
}

/**
 * After no event does one proxy refuse another, or a cluster trust what somebody has added to another
 * one or lack what the config adds; and every stage comes up.
 */
export function neverBreaks<Event>(
  { started, event, play }: Story<Event>,
  { maxLength, numRuns }: { readonly maxLength: number; readonly numRuns: number },
): void {
  const seen = new Set<string>();
  const events = fc.array(event, { minLength: 10, maxLength });
  fc.assert(
    fc.property(events, unknowns, (all, unknown) => {
      const world = started(unknown);
      for (const each of all) {
        seen.add(play(world, each));
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
