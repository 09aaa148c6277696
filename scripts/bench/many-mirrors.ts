import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { isWriteRequest, mark, requestsOf } from "../../tests/bed/audit.ts";
import type { BedCluster } from "../../tests/bed/cluster.ts";
import { previewWithoutLog } from "./cli-log.ts";
import { type Figure, leastSeconds, percentile, seconds } from "./figure.ts";
import type { Kind } from "./mesh.ts";
import { type Pair, withPair } from "./pair.ts";
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
  let memory = 0;
  const during = await slowest(bed.clusters.east, async () => {
    const up = () => stack.pulumi("up", "--yes", "--skip-preview");
    memory = await providerMemory(bed.folder, up);
  });
  const against = { what: "without it", value: alone };
  return [
    { what: `${what}: p99 of somebody else's requests`, value: during, unit: "ms", against },
    memoryOf(what, memory),
  ];
}

async function nothingToDo({ bed, stack }: Pair, what: string, times: number): Promise<Figure[]> {
  let memory = 0;
  const value = await leastSeconds(times, async () => {
    memory = await providerMemory(bed.folder, () => stack.pulumi("preview", "--expect-no-changes"));
  });
  const unlogged = await leastSeconds(times, () => previewWithoutLog(bed.folder, stack));
  const { west, east } = bed.clusters;
  const bare = await leastSeconds(times, () => Promise.all([west, east].map(readLists)));
  const against = { what: "bare lists", value: bare };
  return [
    { what, value, unit: "s", against },
    { what: `${what}, without the CLI's log`, value: unlogged, unit: "s", against },
    memoryOf(what, memory),
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

function memoryOf(what: string, value: number): Figure {
  return { what: `${what}: the provider's memory`, value, unit: "MB" };
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
  await whileEvery50ms(one, work);
  return percentile(took, 0.99);
}

/** Returns the most memory of this engine's providers while `work` continued, in MB. Without /proc, it returns 0. */
async function providerMemory(folder: string, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let isReading = false;
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    for (const kilobytes of await peaks(folder)) most = Math.max(most, kilobytes / 1000);
    isReading = false;
  };
  await whileEvery50ms(read, work);
  return most;
}

async function whileEvery50ms(
  look: () => Promise<void>,
  work: () => Promise<unknown>,
): Promise<void> {
  await look();
  const timer = setInterval(() => void look(), 50);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

/** Returns the peak of each provider whose environment leads into the bed's folder, in kB. */
async function peaks(folder: string): Promise<number[]> {
  const entries = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (pid) => {
        const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
        if (!(await read("cmdline")).includes("dynamic-provider/index.js")) return [];
        if (!(await read("environ")).includes(folder)) return [];
        const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await read("status")) ?? [];
        return kilobytes === undefined ? [] : [Number(kilobytes)];
      }),
  );
  return found.flat();
}
