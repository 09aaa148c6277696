import { setTimeout as sleep } from "node:timers/promises";

import { isWriteRequest, mark, requestsOf } from "../../tests/bed/audit.ts";
import type { BedCluster } from "../../tests/bed/cluster.ts";
import { previewWithoutLog } from "./cli-log.ts";
import { type Figure, leastSeconds, percentile, seconds } from "./figure.ts";
import type { Kind } from "./mesh.ts";
import { type Pair, withPair } from "./pair.ts";
import { peakOf, whileEvery } from "./process-tree.ts";
import { Writer } from "./writer.ts";

const changed = 10;

/** Measures costs that depend on how many mirrors there are, and how a large `up` is felt by others. */
export function measureManyMirrors(mirrors: number, times: number, kind: Kind): Promise<Figure[]> {
  const all = `${mirrors} ${kind} mirrors`;
  return withPair(mirrors, kind, async (pair) => [
    ...(await firstUp(pair, `${all}, first up`)),
    ...(await nothingToDo(pair, `${all}, preview with nothing to do`, times)),
    ...(await fewChanges(pair, `${changed} changes among ${all}`)),
  ]);
}

async function firstUp({ bed, stack }: Pair, what: string): Promise<Figure[]> {
  const alone = await slowest(bed.clusters.east, () => sleep(2_000));
  let memory = { program: 0, provider: 0 };
  const during = await slowest(bed.clusters.east, async () => {
    const up = () => stack.pulumi("up", "--yes", "--skip-preview");
    memory = await memoryIn(bed.folder, up);
  });
  const against = { what: "without it", value: alone };
  return [
    { what: `${what}: p99 of somebody else's requests`, value: during, unit: "ms", against },
    ...memoryOf(what, memory),
  ];
}

async function nothingToDo({ bed, stack }: Pair, what: string, times: number): Promise<Figure[]> {
  let memory = { program: 0, provider: 0 };
  const value = await leastSeconds(times, async () => {
    memory = await memoryIn(bed.folder, () => stack.pulumi("preview", "--expect-no-changes"));
  });
  const unlogged = await leastSeconds(times, () => previewWithoutLog(bed.folder, stack));
  const { west, east } = bed.clusters;
  const bare = await leastSeconds(times, () => Promise.all([west, east].map(readLists)));
  const against = { what: "bare lists", value: bare };
  return [
    { what, value, unit: "s", against },
    { what: `${what}, without the CLI's log`, value: unlogged, unit: "s", against },
    ...memoryOf(what, memory),
  ];
}

async function fewChanges({ bed, stack }: Pair, what: string): Promise<Figure[]> {
  const { west, east } = bed.clusters;
  const writer = new Writer(west);
  const names = Array.from({ length: changed }, (_, index) => `service-${index}`);
  await writer.change(names, 9090);
  await writer.close();
  const before = await mark(east);
  const value = await seconds(() => stack.pulumi("up", "--yes", "--skip-preview"));
  const writes = (await requestsOf(before, "linkerd-multicluster/")).filter(isWriteRequest);
  const against = { what: "changes", value: changed };
  return [
    { what: `${what}: up`, value, unit: "s" },
    { what: `${what}: requests that write`, value: writes.length, unit: "writes", against },
  ];
}

function memoryOf(what: string, { program, provider }: Awaited<ReturnType<typeof memoryIn>>) {
  return [
    { what: `${what}: the provider's memory`, value: provider, unit: "MB" },
    { what: `${what}: the program's memory`, value: program, unit: "MB" },
  ] as const;
}

async function readLists(cluster: BedCluster): Promise<void> {
  const writer = new Writer(cluster);
  await Promise.all(["namespaces", "services", "endpoints"].map((each) => writer.readAll(each)));
  await writer.close();
}

/** Returns the 99th percentile of somebody else's small reads of a cluster while `work` continues, in milliseconds. */
async function slowest({ request }: BedCluster, work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  const one = async (): Promise<void> => {
    const started = performance.now();
    await request("GET", "/api/v1/namespaces/kube-system").catch(() => undefined);
    took.push(performance.now() - started);
  };
  await whileEvery(50, one, work);
  return percentile(took, 0.99);
}

/** Returns the most memory of this engine's program and provider while `work` continued, in MB. */
async function memoryIn(folder: string, work: () => Promise<unknown>) {
  const most = { program: 0, provider: 0 };
  let isReading = false;
  const look = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    for (const [name, part] of Object.entries(commands) as ["program" | "provider", string][])
      most[name] = Math.max(most[name], await peakOf(part, folder));
    isReading = false;
  };
  await whileEvery(50, look, work);
  return most;
}

const commands = { program: "@pulumi/pulumi/cmd/run", provider: "dynamic-provider/index.js" };
