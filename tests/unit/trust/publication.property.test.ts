import fc from "fast-check";
import { repeated } from "../../reliability/effort.ts";
import { cluster, comesToAnEnd, happening, neverBreaks, type Story } from "./happenings.ts";
import type { Part, World } from "./world.ts";

/** As it goes where nothing comes in between. */
function round(world: World): string {
  const stage = world.publish();
  world.run(...world.clusters.keys());
  world.pass(6);
  world.restartAll();
  world.pass(6);
  return stage;
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
});
