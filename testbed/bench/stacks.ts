import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { isWrite, mark, requestsOf } from "../audit.ts";
import type { Bed } from "../bed.ts";
import { newStack, type PulumiStack } from "../stack.ts";
import { type Figure, seconds } from "./figure.ts";
import { meshConfig, type MeshSize, startMesh } from "./mesh.ts";
import { processorSeconds } from "./processor-time.ts";
import { providerMemory } from "./provider-memory.ts";
import { stateBytes } from "./state-size.ts";
import { Writer } from "./writer.ts";

/** What `docs/guides/fleet.md` and the operator's example set so that a backend grows less. */
const frugal = {
  PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
  PULUMI_DIY_BACKEND_GZIP: "true",
};

/** One run of one stack. */
interface RunCost {
  readonly clock: number;
  /** NaN where the system does not tell, as `memory`. */
  readonly processor: number;
  readonly memory: number;
  readonly reads: number;
  readonly writes: number;
}

interface StackCost {
  readonly first: RunCost;
  /** A preview with nothing to do. */
  readonly nothing: RunCost;
  /** Bytes. */
  readonly state: number;
  /** Bytes by which an `up` with nothing to do lets the backend grow; with the settings above as well. */
  readonly growth: number;
  readonly frugalGrowth: number;
}

/**
 * A full mesh in one stack, and beside it the same mesh with a stack for each source, on the same clusters.
 *
 * @param run how many of the stacks of the second kind are run, each after the mirrors in its source were deleted
 * while those of the other clusters stay; their mean stands for all
 * @param report told what each stack took as soon as it has been measured
 */
export async function measureStacks(
  size: MeshSize,
  run: number,
  report: (text: string) => void,
): Promise<Figure[]> {
  const bed = await startMesh(size);
  try {
    const names = Object.keys(bed.clusters);
    const config = meshConfig(bed);
    const one = await measureStack(bed, await newStack(bed, "all", config));
    report(`one stack: ${JSON.stringify(one)}`);
    const each: StackCost[] = [];
    for (const name of names.slice(0, run)) {
      await deleteMirrors(bed, name);
      const stack = await newStack(bed, name, { ...config, sources: [name] });
      const cost = await measureStack(bed, stack);
      report(`the stack of ${name}: ${JSON.stringify(cost)}`);
      each.push(cost);
    }
    return figuresOf(size, one, each);
  } finally {
    await bed.stop();
  }
}

async function measureStack(bed: Bed<string>, stack: PulumiStack): Promise<StackCost> {
  const up = ["up", "--yes", "--skip-preview"];
  const first = await runOf(bed, () => stack.pulumi(...up));
  const nothing = await runOf(bed, () => stack.pulumi("preview", "--expect-no-changes"));
  const kept = await keptBytes(bed);
  await stack.pulumi(...up);
  const growth = (await keptBytes(bed)) - kept;
  await stack.run(up, { variables: frugal });
  const frugalGrowth = (await keptBytes(bed)) - kept - growth;
  return { first, nothing, growth, frugalGrowth, state: await stateBytes(stack) };
}

async function runOf(bed: Bed<string>, work: () => Promise<unknown>): Promise<RunCost> {
  const logs = await Promise.all(Object.values(bed.clusters).map(mark));
  let clock = NaN;
  let processor: number | undefined;
  const memory = await providerMemory(bed.folder, async () => {
    processor = await processorSeconds(async () => {
      clock = await seconds(work);
    });
  });
  const answered = await Promise.all(logs.map((log) => requestsOf(log, "linkerd-multicluster/")));
  const requests = answered.flat();
  const writes = requests.filter(isWrite).length;
  return {
    ...{ clock, processor: processor ?? NaN, memory: memory ?? NaN },
    ...{ reads: requests.length - writes, writes },
  };
}

/** What the backend keeps of all runs so far: their history, and backups. */
async function keptBytes({ folder }: Bed<string>): Promise<number> {
  const [history, backups] = await Promise.all(
    ["history", "backups"].map((name) => bytesIn(join(folder, "pulumi-state", ".pulumi", name))),
  );
  return (history ?? 0) + (backups ?? 0);
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = files.map(
    async ({ parentPath, name }) => (await stat(join(parentPath, name))).size,
  );
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

async function deleteMirrors({ clusters }: Bed<string>, name: string): Promise<void> {
  const cluster = clusters[name];
  if (cluster === undefined) return;
  const writer = new Writer(cluster);
  await writer.deleteAll("mirror.linkerd.io/mirrored-service=true");
  await writer.close();
}

function figuresOf(size: MeshSize, one: StackCost, each: readonly StackCost[]): Figure[] {
  const { clusters, exports } = size;
  const mesh = `${clusters} clusters with ${exports} exports`;
  const all = `${mesh}, a stack each${each.length < clusters ? ` (${each.length} run)` : ""}`;
  const sum = (of: (cost: StackCost) => number): number =>
    (each.reduce((total, cost) => total + of(cost), 0) / each.length) * clusters;
  const largest = (of: (cost: StackCost) => number): number => Math.max(...each.map(of));
  const beside = (
    what: string,
    unit: Figure["unit"],
    of: (cost: StackCost) => number,
    together: (of: (cost: StackCost) => number) => number,
  ): Figure => {
    const value = together(of);
    const against = { what: "one stack", value: of(one) };
    return { row: "stacks", what: `${all}: ${what}`, value, unit, against };
  };
  return [
    beside("reads of a preview with nothing to do, all", "requests", (c) => c.nothing.reads, sum),
    beside("first up, processor time of all", "s", (c) => c.first.processor, sum),
    beside("first up, processor time of the largest", "s", (c) => c.first.processor, largest),
    beside("first up, clock of the slowest", "s", (c) => c.first.clock, largest),
    beside("no-op preview, processor time of all", "s", (c) => c.nothing.processor, sum),
    beside(
      "no-op preview, processor time of the largest",
      "s",
      (c) => c.nothing.processor,
      largest,
    ),
    beside("no-op preview, clock of the slowest", "s", (c) => c.nothing.clock, largest),
    beside("no-op preview, the largest provider", "MB", (c) => c.nothing.memory, largest),
    beside("first up, the largest provider", "MB", (c) => c.first.memory, largest),
    beside("state of all", "B", (c) => c.state, sum),
    beside("state of the largest", "B", (c) => c.state, largest),
    beside("backend's growth by one no-op up of all", "B", (c) => c.growth, sum),
    beside("the same without backups, with gzip", "B", (c) => c.frugalGrowth, sum),
  ];
}
