import { until } from "../../bed/bed.ts";
import { startWatch } from "../../bed/running-watch.ts";
import { serviceIn } from "../../e2e/access-clusters.ts";
import { askPod } from "../traffic/asking.ts";
import type { Mesh } from "../traffic/mesh.ts";
import { assertNoneFailed } from "../traffic/stream.ts";
import { namespace } from "../traffic/workloads.ts";

const first = ["nginx-set-0", "nginx-set-1"];
const added = [2, 3, 4, 5].map((index) => `nginx-set-${index}`);

export function testGrowth(theMesh: () => Mesh): void {
  it("a StatefulSet grows from two pods to six and back under the watch, without a failed request", async () => {
    const { bed, kubectl, rolledOut, stack, stream } = theMesh();
    const scale = async (replicas: number) => {
      const words = ["scale", "statefulset/nginx-set", `--namespace=${namespace}`];
      await kubectl("west", ...words, `--replicas=${replicas}`);
    };
    for (const pod of first) await askPod(stream, pod);
    const watch = startWatch(bed, stack);
    try {
      await until("the watch", [watch], () =>
        Promise.resolve(watch.events.some(({ event }) => event === "dryRun") || undefined),
      );
      const begun = Date.now();
      const grow = async () => {
        await scale(6);
        await rolledOut("west");
        // Until its mirror exists, a new pod has no name in east.
        for (const pod of added) await askPod(stream, pod);
      };
      const others = added.map((pod) => `${pod}-west`);
      assertNoneFailed(await stream.during(grow), ...others);
      console.log(`      six pods answer after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
      assertNoneFailed(await stream.next(20));
      for (const target of others) await stream.remove(target);
      const shrink = async () => {
        await scale(2);
        await rolledOut("west");
        await until("the mirrors of pods that are gone to be deleted", [watch], async () => {
          const left = others.map((name) => serviceIn(bed.clusters.east, namespace, name));
          return (await Promise.all(left)).every((each) => each === undefined) || undefined;
        });
        await stream.asked(20);
      };
      assertNoneFailed(await stream.during(shrink));
    } finally {
      if (!watch.isEnded()) process.kill(watch.pid, "SIGTERM");
      await watch.ended;
      for (const pod of first) await stream.remove(`${pod}-west`);
    }
  });
}
