import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { UserError } from "@linkerd-multicluster/engine/base";
import { isWriteRequest, mark, requestsOf } from "../../tests/bed/audit.ts";
import type { BedCluster } from "../../tests/bed/cluster.ts";
import { kubeconfigText, writeKubeconfig } from "../../tests/bed/kubeconfig.ts";
import { addLink, addLinkCrd, namespace as linkNamespace } from "../../tests/bed/links.ts";
import { freePorts } from "../../tests/bed/ports.ts";
import { type Program, startProgram, until } from "../../tests/bed/processes.ts";
import { settled } from "../../tests/bed/running-watch.ts";
import { startWatchdog, type Watchdog } from "../../tests/bed/watchdog.ts";
import type { Figure } from "./figure.ts";
import { type Pair, withPair } from "./pair.ts";
import { costOf } from "./process-tree.ts";
import { namespaceOf } from "./writer.ts";
import { exportAndWait, patience, withWatch } from "./watched.ts";

/** The hour at rest is extrapolated from so many minutes. A resync of the watch is in ten. */
const minutesOfRest = (most: number): number => (most < 300 ? 1 : 10);

interface Mirroring {
  /** In seconds, from the first export to the last mirror. */
  readonly seconds: number;
  /** Requests that write to the source. */
  readonly writes: number;
  /** CPU seconds of all its processes. */
  readonly cpu: number;
  /** The most of all its processes at once, in MB. */
  readonly memory: number;
}

interface Measured {
  readonly bursts: readonly Mirroring[];
  /** Requests in an hour to both API servers. */
  readonly atRest: number;
  /** MB, at rest. */
  readonly memory: number;
}

type Running = Pick<Program, "pid" | "problem">;

/**
 * Measures a watch and Linkerd's controller at the same exports, each with a pair of API servers of its own. Theirs takes its
 * time without using any, since it limits itself to a few requests a second, so what takes long goes on for both at once.
 */
export async function measureServiceMirror(
  most: number,
  program: string,
): Promise<{ readonly rest: Promise<readonly Figure[]> }> {
  const sizes = [1, 10, 300, 1_000].filter((size) => size <= most);
  const minutes = minutesOfRest(most);
  const ready = Promise.withResolvers<undefined>();
  const go = Promise.withResolvers<undefined>();
  const theirs = withPair(1, "flat", async ({ bed: { folder, clusters } }) => {
    await addServiceMirrorLink(clusters.east, clusters.west);
    const own = join(folder, "service-mirror");
    await mkdir(own);
    const watchdog = startWatchdog(own);
    try {
      const controller = await startServiceMirror(program, clusters.east, own, watchdog);
      const plan = { sizes, minutes, quick: ready, quickUpTo: 10 };
      return await measured(clusters, controller, plan, () => sleep(1_000));
    } finally {
      await watchdog.end();
    }
  });
  // What is quick takes turns. A failure must not keep the other from beginning.
  theirs.catch(ready.resolve);
  await ready.promise;
  const ours = withPair(1, "flat", (pair: Pair) =>
    withWatch(pair, (watch) => {
      const plan = { sizes, minutes, quick: go, quickUpTo: most };
      return measured(pair.bed.clusters, watch, plan, () => settled(watch, patience));
    }),
  );
  ours.catch(go.resolve);
  await go.promise;
  const rest = Promise.all([ours, theirs]).then(([one, other]) =>
    figuresOf(sizes, minutes, one, other),
  );
  return { rest };
}

interface Plan {
  readonly sizes: readonly number[];
  readonly minutes: number;
  /** Resolved before anything larger begins. */
  readonly quick: { readonly resolve: (value: undefined) => void };
  readonly quickUpTo: number;
}

async function measured(
  { east, west }: Pair["bed"]["clusters"],
  running: Running,
  { sizes, minutes, quick, quickUpTo }: Plan,
  isDone: () => Promise<unknown>,
): Promise<Measured> {
  const first = `/api/v1/namespaces/${namespaceOf("service-0")}/services/service-0-west`;
  const isThere = async () => (await east.request("GET", first)).code === 200 || undefined;
  await until("the first mirror", [running], isThere, patience);
  const bursts: Mirroring[] = [];
  for (const size of sizes) {
    if (size > quickUpTo) quick.resolve(undefined);
    const names = Array.from({ length: size }, (_, index) => `burst${size}-${index}`);
    const before = await mark(east);
    let took = NaN;
    const { cpu, memory } = await costOf(running.pid, async () => {
      const exporting = { target: west, source: east, kind: "flat" } as const;
      const { begun, mirrored } = await exportAndWait(names, exporting, running);
      took = (mirrored - begun) / 1000;
      await isDone();
    });
    const writes = (await requestsOf(before)).filter(isWriteRequest).length;
    bursts.push({ seconds: took, writes, cpu, memory });
  }
  quick.resolve(undefined);
  const [inEast, inWest] = [await mark(east), await mark(west)];
  const { own } = await costOf(running.pid, () => sleep(minutes * 60_000));
  const requests = (await Promise.all([inEast, inWest].map((log) => requestsOf(log)))).flat();
  return { bursts, atRest: (requests.length * 60) / minutes, memory: own };
}

function figuresOf(
  sizes: readonly number[],
  minutes: number,
  ours: Measured,
  theirs: Measured,
): Figure[] {
  const against = (value: number) => ({ what: "Linkerd's controller", value });
  const of = (index: number, field: keyof Mirroring, what: string, unit: Figure["unit"]) => ({
    what: `${sizes[index] ?? 0} new exports: ${what}`,
    value: ours.bursts[index]?.[field] ?? NaN,
    unit,
    against: against(theirs.bursts[index]?.[field] ?? NaN),
  });
  return [
    ...sizes.flatMap((_, index) => [
      of(index, "seconds", "from the first export to the last mirror", "s"),
      of(index, "writes", "requests that write to the source", "writes"),
      of(index, "cpu", "CPU time", "s"),
      of(index, "memory", "most memory of all processes", "MB"),
    ]),
    {
      what: `at rest: requests an hour to both API servers, from ${minutes} minutes`,
      value: ours.atRest,
      unit: "requests",
      against: against(theirs.atRest),
    },
    { what: "at rest: memory", value: ours.memory, unit: "MB", against: against(theirs.memory) },
  ];
}

/** Makes what Linkerd's controller reads: the Link, and the credentials for the target, on a flat network. */
async function addServiceMirrorLink(source: BedCluster, target: BedCluster): Promise<void> {
  await addLinkCrd(source);
  const credentials = `cluster-credentials-${target.name}`;
  const path = `/api/v1/namespaces/${linkNamespace}/secrets`;
  const { code, body } = await source.request("POST", path, {
    metadata: { name: credentials },
    type: "mirror.linkerd.io/remote-kubeconfig",
    stringData: { kubeconfig: kubeconfigText([target]) },
  });
  if (code !== 201) throw new UserError(`${source.name} takes no Secret: ${JSON.stringify(body)}`);
  await addLink(source, target.name, {
    targetClusterDomain: "cluster.local",
    clusterCredentialsSecret: credentials,
    remoteDiscoverySelector: { matchLabels: { "mirror.linkerd.io/exported": "remote-discovery" } },
  });
}

async function startServiceMirror(
  program: string,
  source: BedCluster,
  folder: string,
  watchdog: Watchdog,
): Promise<Program> {
  const kubeconfig = join(folder, "service-mirror.kubeconfig");
  await writeKubeconfig(kubeconfig, [source]);
  const [port = 0] = await freePorts(1);
  const args = [
    ...["HOSTNAME=service-mirror", program, "service-mirror", `-kubeconfig=${kubeconfig}`],
    ...[`-namespace=${linkNamespace}`, `-metrics-addr=127.0.0.1:${port}`, "west"],
  ];
  const log = join(folder, "service-mirror.log");
  return startProgram({ name: "Linkerd's controller", path: "env", args, log }, watchdog);
}
