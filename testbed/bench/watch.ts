import { newStack } from "../stack.ts";
import { until } from "../processes.ts";
import { isSettled, type RunningWatch, startWatch } from "../watch.ts";
import { type Figure, percentile, seconds } from "./figure.ts";
import { exportedService, exportedServices, startExporting } from "./mesh.ts";
import { namespace, Writer } from "./writer.ts";

/** Seconds that one thing may take. */
const patience = 600;

/** Watches a cluster that mirrors from another one, and measures how soon an export has its mirror. */
export async function measureWatch(mirrors: number, rounds: number): Promise<Figure[]> {
  const bed = await startExporting(["west", "east"], (name) => ({
    services: exportedServices(name === "west" ? mirrors : 0),
  }));
  const { east, west } = bed.clusters;
  const writer = new Writer(west);
  let watch: RunningWatch | undefined;
  try {
    const stack = await newStack(bed, "watched", {
      manage: "mirrors",
      clusters: { west: {}, east: {} },
      links: [{ source: "east", target: "west", gateway: false }],
    });
    const running = (watch = startWatch(bed, stack));
    await settled(running);
    const took: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const name = `new-${round}`;
      const path = `/api/v1/namespaces/${namespace}/services/${name}-west`;
      const isThere = async () => (await east.request("GET", path)).code === 200 || undefined;
      await writer.create({ services: [exportedService(name)] });
      took.push(await seconds(() => until(name, [running], isThere, patience)));
      await settled(running);
    }
    return [0.5, 0.95].map((share): Figure => ({
      row: "watch",
      what: `${mirrors} mirrors: from an export to its mirror, p${share * 100} of ${rounds}`,
      ...{ value: percentile(took, share), unit: "s" },
    }));
  } finally {
    if (watch !== undefined && !watch.isEnded()) process.kill(watch.pid, "SIGTERM");
    await watch?.ended;
    await writer.close();
    await bed.stop();
  }
}

function settled(watch: RunningWatch): Promise<true> {
  return until("the watch to settle", [watch], () => Promise.resolve(isSettled(watch)), patience);
}
