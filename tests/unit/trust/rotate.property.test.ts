import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import { repeated } from "../../reliability/effort.ts";
import { cluster, comesToAnEnd, happening, names, neverBreaks, type Story } from "./happenings.ts";
import { World } from "./world.ts";

/** As it goes where nothing comes in between. */
function round(world: World): string {
  const stage = world.up();
  world.pass(6);
  world.restartAll();
  world.pass(6);
  return stage;
}

/** Of one stack, which comes to each cluster and to each part of its trust, or breaks off before. */
const all = 0b11_11_11;
const reached = fc.oneof({ weight: 7, arbitrary: fc.constant(all) }, fc.nat({ max: all }));
const up = happening("up", reached, (world, bits) =>
  world.up((name, part) => {
    const bit = names.indexOf(name) * 2 + (part === "bundle" ? 1 : 0);
    return (bits & (1 << bit)) !== 0;
  }),
);
const restart = happening(
  "restart",
  fc.tuple(cluster, fc.nat({ max: 2 })),
  (world, [name, pod]) => {
    world.restart(name, [pod]);
  },
);
const story: Story = { round, runs: [up, up, restart] };

describe("trust: any order of runs, restarts, outages and changes of mind", () => {
  it("never makes one proxy refuse another", () => {
    neverBreaks(story, 60, repeated(500));
  });

  it("comes to an end once clusters are in reach and workloads are restarted", () => {
    comesToAnEnd(story, 7, repeated(50));
  });

  it("goes from anchor to anchor in three runs with restarts between them", () => {
    const world = new World();
    round(world);
    world.turn("on");
    const stages = Array.from({ length: 5 }, () => round(world));
    deepEqual(stages, ["bundle", "reissue", "drop", "settled", "settled"]);
  });
});
