import type { Figure } from "./figure.ts";
import { type Latencies, measureWatch, percentile, type WatchSize } from "./watch.ts";

/** How soon the watch has repaired what changed, and what it costs meanwhile. */
export async function measureWatchRow(size: WatchSize): Promise<Figure[]> {
  const { exported, deleted, look, memory } = await measureWatch(size, (text) => {
    console.error(`  ${text}`);
  });
  const row = { row: "watch" } as const;
  const what = `watch of ${size.mirrors} mirrors`;
  const median = (name: string, sorted: Latencies): Figure => ({
    ...{ ...row, what: `${what}: ${name}, median of ${size.rounds}` },
    ...{ value: percentile(sorted, 0.5), unit: "s" },
  });
  return [
    median("from an export to its mirror", exported),
    median("from the deletion of a mirror to its return", deleted),
    { ...row, what: `${what}: a look that finds nothing to do`, value: look, unit: "s" },
    { ...row, what: `${what}: resident memory`, value: memory, unit: "MB" },
  ];
}
