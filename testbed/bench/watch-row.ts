import type { Figure } from "./figure.ts";
import { type Latencies, measureWatch, percentile, type WatchSize } from "./watch.ts";

/** How soon the watch has repaired what changed, and what it costs meanwhile. */
export async function measureWatchRow(size: WatchSize): Promise<Figure[]> {
  const { exported, deleted, look, memory, connections } = await measureWatch(size, (text) => {
    console.error(`  ${text}`);
  });
  const row = { row: "watch" } as const;
  const what = `watch of ${size.clusters} clusters, ${size.mirrors} mirrors`;
  const latency = (name: string, sorted: Latencies): Figure[] =>
    ([0.5, 0.95] as const).map((share) => ({
      ...{ ...row, what: `${what}: ${name}, p${share * 100} of ${size.rounds}` },
      ...{ value: percentile(sorted, share), unit: "s" },
    }));
  return [
    ...latency("from an export to its mirror", exported),
    ...latency("from the deletion of a mirror to its return", deleted),
    { ...row, what: `${what}: a look that finds nothing to do`, value: look, unit: "s" },
    { ...row, what: `${what}: resident memory`, value: memory, unit: "MB" },
    {
      ...{ ...row, what: `${what}: to each API server, on average` },
      ...{ value: connections, unit: "connections" },
    },
  ];
}
