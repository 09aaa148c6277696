import { readdir, readFile, readlink } from "node:fs/promises";

import { until } from "../processes.ts";
import { newStack } from "../stack.ts";
import { request } from "../request.ts";
import { isSettled, type RunningWatch, startWatch } from "../watch.ts";
import type { Figure } from "./figure.ts";
import { startMesh } from "./mesh.ts";
import { namespace, Writer } from "./writer.ts";

export interface WatchSize {
  /** Clusters that are watched; one of them mirrors from all others. */
  readonly clusters: number;
  /** Mirrors in all, before anything changes. */
  readonly mirrors: number;
  /** Times that each change is made. */
  readonly rounds: number;
}

/** Seconds that one thing may take. */
const seconds = 600;

/** Watches clusters, one of which mirrors from the others, and measures how soon it has converged, and its cost. */
export async function measureWatch(size: WatchSize): Promise<Figure[]> {
  const report = (text: string): void => {
    console.error(`  ${text}`);
  };
  const exports = Math.ceil(size.mirrors / (size.clusters - 1));
  report(`starting ${size.clusters} API servers with ${exports} exports each`);
  const bed = await startMesh({ clusters: size.clusters, exports });
  const [source, target] = Object.values(bed.clusters);
  if (source === undefined || target === undefined) throw new Error("the bed lacks a cluster");
  const targets = Object.keys(bed.clusters).filter((name) => name !== source.name);
  const writer = new Writer(target);
  let watch: RunningWatch | undefined;
  try {
    const stack = await newStack(bed, "watched", {
      manage: "mirrors",
      clusters: Object.fromEntries(Object.keys(bed.clusters).map((name) => [name, {}])),
      links: targets.map((name) => ({ source: source.name, target: name, gateway: false })),
    });
    report("the first run");
    const running = (watch = startWatch(bed, stack));
    await settled(running);
    const path = (name: string) => `/api/v1/namespaces/${namespace}/services/${name}`;
    const isThere = async (name: string): Promise<true | undefined> =>
      (await request(source.access, "GET", path(name))).code === 200 || undefined;
    const exported: number[] = [];
    const deleted: number[] = [];
    for (let round = 0; round < size.rounds; round += 1) {
      report(`round ${round + 1} of ${size.rounds}`);
      const name = `new-${round}`;
      const mirror = `${name}-${target.name}`;
      const labels = { "mirror.linkerd.io/exported": "remote-discovery" };
      await writer.create([{ metadata: { name, labels }, spec: { ports: [{ port: 80 }] } }]);
      exported.push(await timed(() => until(name, [running], () => isThere(mirror), seconds)));
      await settled(running);
      await request(source.access, "DELETE", path(mirror));
      deleted.push(await timed(() => until(name, [running], () => isThere(mirror), seconds)));
      await settled(running);
    }
    const dryRuns = running.events.flatMap((each) =>
      each.event === "dryRun" ? [each.milliseconds] : [],
    );
    const ports = Object.values(bed.clusters).map(({ server }) => Number(new URL(server).port));
    const { pid } = running;
    const most = 4 * ports.length;
    const sockets = await until(`at most ${most} connections`, [running], async () => {
      const found = await connectionsOf(pid, ports);
      return found <= most ? found : undefined;
    });
    const what = `watch of ${size.clusters} clusters, ${size.mirrors} mirrors`;
    const figure = (of: string, value: number, unit: Figure["unit"]): Figure => {
      return { row: "watch", what: `${what}: ${of}`, value, unit };
    };
    const latency = (of: string, all: readonly number[]): Figure[] =>
      [0.5, 0.95].map((share) =>
        figure(`${of}, p${share * 100} of ${size.rounds}`, percentile(all, share), "s"),
      );
    return [
      ...latency("from an export to its mirror", exported),
      ...latency("from the deletion of a mirror to its return", deleted),
      figure("a dry run that finds nothing to do", (dryRuns.at(-1) ?? 0) / 1000, "s"),
      figure("resident memory", await memoryOf(pid), "MB"),
      figure("to each API server, on average", sockets / ports.length, "connections"),
    ];
  } finally {
    if (watch !== undefined && !watch.isEnded()) process.kill(watch.pid, "SIGTERM");
    await watch?.ended;
    await writer.close();
    await bed.stop();
  }
}

/** The value below which that share of all lies. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function settled(watch: RunningWatch): Promise<true> {
  return until("the watch to settle", [watch], () => Promise.resolve(isSettled(watch)), seconds);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

/** How many TCP connections a process has to these ports. */
async function connectionsOf(pid: number, ports: readonly number[]): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => "")),
  );
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const table = await readFile(`/proc/${pid}/net/tcp`, "utf8");
  return table.split("\n").filter((line) => {
    const [, , remote = "", state, , , , , , inode = ""] = line.trim().split(/\s+/);
    const port = Number.parseInt(remote.split(":")[1] ?? "", 16);
    return state === "01" && ports.includes(port) && inodes.has(inode);
  }).length;
}
