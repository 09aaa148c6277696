import { until } from "../../tests/bed/processes.ts";
import { settled, startWatch } from "../../tests/bed/running-watch.ts";
import { type Figure, percentile, seconds } from "./figure.ts";
import { exportedService, type Kind } from "./mesh.ts";
import { withPair } from "./pair.ts";
import { namespaceOf, Writer } from "./writer.ts";

/** In seconds, for one step. */
const patience = 600;

/** Watches a cluster that mirrors from another one, and measures how soon an export has its mirror. */
export function measureWatch(mirrors: number, rounds: number, kind: Kind): Promise<Figure[]> {
  return withPair(mirrors, kind, async ({ bed, stack }) => {
    const { east, west } = bed.clusters;
    const writer = new Writer(west);
    const watch = startWatch(bed, stack);
    try {
      await settled(watch, patience);
      const took: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const name = `new-${round}`;
        const path = `/api/v1/namespaces/${namespaceOf(name)}/services/${name}-west`;
        const isThere = async () => (await east.request("GET", path)).code === 200 || undefined;
        await writer.create({ services: [exportedService(name, kind)] });
        took.push(await seconds(() => until(name, [watch], isThere, patience)));
        await settled(watch, patience);
      }
      return [0.5, 0.95].map((share): Figure => ({
        what: `${mirrors} ${kind} mirrors: from an export to its mirror, p${share * 100} of ${rounds}`,
        value: percentile(took, share),
        unit: "s",
      }));
    } finally {
      if (!watch.isEnded()) process.kill(watch.pid, "SIGTERM");
      await watch.ended;
      await writer.close();
    }
  });
}
