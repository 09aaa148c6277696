import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";

import { isWriteRequest, mark, requestsOf } from "../audit.ts";
import type { BedCluster } from "../cluster.ts";
import { environment } from "../pulumi.ts";
import { repository } from "../stack.ts";
import { type Figure, leastSeconds, seconds } from "./figure.ts";
import { stateBytes } from "./mesh.ts";
import { type Pair, withPair } from "./pair.ts";
import { Writer } from "./writer.ts";

/** Exports that change at once. */
const changed = 10;

/** The costs that depend on how many mirrors there are, and how a large `up` is felt by others. */
export function measureManyMirrors(mirrors: number, times: number): Promise<Figure[]> {
  return withPair(mirrors, async (pair) => {
    const up = await firstUp(pair, mirrors);
    const nothing = await nothingToDo(pair, mirrors, times);
    const changes = await fewChanges(pair, mirrors);
    const value = await seconds(() => pair.stack.pulumi("destroy", "--yes", "--skip-preview"));
    const destroy: Figure = {
      row: "destroy",
      what: `${mirrors} mirrors: destroy`,
      value,
      unit: "s",
    };
    return [...up, ...nothing, ...changes, destroy];
  });
}

async function firstUp({ bed, stack }: Pair, mirrors: number): Promise<Figure[]> {
  const alone = await latencies(bed.clusters.east, () => sleep(2_000));
  let memory: number | undefined;
  let value = 0;
  const during = await latencies(bed.clusters.east, async () => {
    const up = () => stack.pulumi("up", "--yes", "--skip-preview");
    memory = await providerMemory(bed.folder, async () => {
      value = await seconds(up);
    });
  });
  const state = await stateBytes(stack);
  const what = `${mirrors} mirrors`;
  return [
    { row: "first", what: `${what}: first up`, value, unit: "s" },
    {
      ...{ row: "polite", what: `${what}, first up: p99 of somebody else's requests` },
      ...{ value: during.p99, unit: "ms", against: { what: "without it", value: alone.p99 } },
    },
    ...memoryOf(`${what}, first up`, memory),
    { row: "state", what: `${what}: state per mirror`, value: state / mirrors, unit: "B" },
  ];
}

async function nothingToDo({ bed, stack }: Pair, mirrors: number, times: number) {
  const what = `${mirrors} mirrors, preview with nothing to do`;
  let memory: number | undefined;
  const value = await leastSeconds(times, async () => {
    memory = await providerMemory(bed.folder, () => stack.pulumi("preview", "--expect-no-changes"));
  });
  const { west, east } = bed.clusters;
  const bare = await leastSeconds(times, () => Promise.all([west, east].map(readLists)));
  const against = { what: "bare lists", value: bare };
  const figure: Figure = { row: "noop", what, value, unit: "s", against };
  const status: Figure = {
    ...{ row: "noop", what: `${mirrors} mirrors, linkerd-clusters status`, unit: "s" },
    value: await leastSeconds(times, () => statusOf(bed, stack)),
    against: { what: "preview with nothing to do", value },
  };
  return [figure, status, ...memoryOf(what, memory)];
}

function statusOf(bed: Pair["bed"], { settings }: Pair["stack"]) {
  const program = join(repository, "bin", "linkerd-clusters.mjs");
  const env = { ...environment(bed), ...settings };
  return execa(process.execPath, [program, "status"], { cwd: repository, env });
}

async function fewChanges({ bed, stack }: Pair, mirrors: number): Promise<Figure[]> {
  const { west, east } = bed.clusters;
  const writer = new Writer(west);
  const names = Array.from({ length: changed }, (_, index) => `service-${index}`);
  await writer.change(names, 9090);
  await writer.close();
  const before = await mark(east);
  const value = await seconds(() => stack.pulumi("up", "--yes", "--skip-preview"));
  const writes = (await requestsOf(before, "linkerd-multicluster/")).filter(isWriteRequest);
  const what = `${changed} changes among ${mirrors} mirrors`;
  return [
    { row: "changes", what: `${what}: up`, value, unit: "s" },
    {
      ...{ row: "changes", what: `${what}: requests that write` },
      ...{ value: writes.length, unit: "writes", against: { what: "changes", value: changed } },
    },
  ];
}

function memoryOf(what: string, value: number | undefined): Figure[] {
  if (value === undefined) return [];
  return [{ row: "memory", what: `${what}: the provider's memory`, value, unit: "MB" }];
}

async function readLists(cluster: BedCluster): Promise<void> {
  const writer = new Writer(cluster);
  await Promise.all(["namespaces", "services", "endpoints"].map((each) => writer.readAll(each)));
  await writer.close();
}

/** The times of somebody else's small reads of a cluster while `work` goes on, in milliseconds. */
async function latencies(
  { request }: Pick<BedCluster, "request">,
  work: () => Promise<unknown>,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const took: number[] = [];
  const one = async (): Promise<void> => {
    const started = performance.now();
    await request("GET", "/api/v1/namespaces/kube-system").catch(() => undefined);
    took.push(performance.now() - started);
  };
  await one();
  const timer = setInterval(() => void one(), 50);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  took.sort((a, b) => a - b);
  const at = (share: number): number => took[Math.floor((took.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/**
 * The most memory that a provider process of this bed's engine has had while `work` went on, in MB.
 * Undefined where the system does not tell (it is Linux that has /proc).
 */
async function providerMemory(
  folder: string,
  work: () => Promise<unknown>,
): Promise<number | undefined> {
  let most: number | undefined;
  let isReading = false;
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    for (const kilobytes of await peaks(folder)) most = Math.max(most ?? 0, kilobytes / 1000);
    isReading = false;
  };
  const timer = setInterval(() => void read(), 50);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most;
}

/** The peak, in kB, of each provider whose environment leads into the bed's folder. */
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
