/** A pod that runs: a network of its own, in it a program of these tests and, if it is meshed, Linkerd's proxy. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { execa } from "execa";

import { type BedCluster, until } from "../../bed/bed.ts";
import { type Program, startProgram } from "../../bed/processes.ts";
import type { Watchdog } from "../../bed/watchdog.ts";
import { get, inNamespace } from "../../e2e/access-clusters.ts";
import type { Network, PodNamespace } from "./network.ts";
import { type Container, containerOf, type Pod } from "./objects.ts";
import { adminPort, startProxy } from "./proxy.ts";
import { isReady } from "./ready.ts";
import type { Stream, Streams } from "./stream.ts";

export interface PodSpec {
  readonly cluster: BedCluster;
  readonly pod: Pod;
  readonly address: string;
  /** At which the pod's network has the control plane. */
  readonly control: string;
  readonly network: Network;
  readonly folder: string;
  readonly streams: Streams;
}

export interface RunningPod {
  readonly address: string;
  /** As a kubelet ends a pod whose proxy is a sidecar: that comes last. */
  end(): Promise<void>;
  /** What its proxy has counted. */
  metrics(): Promise<string>;
  /** Runs the task of a pod that has one, and returns its message. */
  readonly task?: () => Promise<string>;
  problem(): string | undefined;
}

/** The Services have the same port, since a gateway reaches the pods of a headless Service at its own port. */
export const serverPort = 80;

const printMetrics = `
  const answer = await fetch("http://127.0.0.1:${adminPort}/metrics");
  if (!answer.ok) throw new Error("The proxy answers " + answer.status);
  process.stdout.write(await answer.text());
`;

/** Seconds that a pod's program has to end by itself, and then its proxy. */
const patience = 15;

/** Returns once it is ready. */
export async function startPod(spec: PodSpec, watchdog: Watchdog): Promise<RunningPod> {
  const { cluster, pod, address, network, folder } = spec;
  const title = `${cluster.name}'s ${pod.metadata.name}`;
  const run = join(folder, pod.metadata.uid);
  const namespace = await network.attach(title, address, run);
  const programs: Program[] = [];
  const admin = await network.reach({ address, port: adminPort });
  const container = containerOf(pod, "linkerd-proxy");
  if (container !== undefined) {
    const proxy = await startProxy({ ...spec, container, namespace, run }, watchdog);
    programs.push(proxy);
    await until(`the proxy of ${title}`, [proxy], () => isReady(admin));
  }
  const own = startOwn(title, spec, namespace, run, watchdog);
  if (own !== undefined) {
    programs.unshift(own);
    await until(title, [own], () => Promise.resolve(existsSync(join(run, "ready")) || undefined));
  }
  const task = containerOf(pod, "request");
  return {
    address,
    ...(task !== undefined && { task: () => taskDone(task, spec, namespace, run) }),
    async end() {
      for (const each of programs) await each.terminate(patience);
      await namespace.end();
    },
    // From within the pod, as through a port that is forwarded: others need an identity.
    async metrics() {
      const words = [process.execPath, "--input-type=module", "--eval", printMetrics];
      const [path = "", ...rest] = [...namespace.enter, ...words];
      return (await execa(path, rest)).stdout;
    },
    problem: () => programs.map((each) => each.problem()).find((problem) => problem !== undefined),
  };
}

/** Runs what a container is told to, which finds Services by a file in place of DNS. */
async function taskDone(
  { command = [] }: Container,
  { cluster }: PodSpec,
  namespace: PodNamespace,
  run: string,
): Promise<string> {
  const [host = ""] = command.flatMap((word) => (URL.canParse(word) ? new URL(word).hostname : []));
  const [name = "", of = ""] = host.split(".");
  const path = `${inNamespace(of, "services")}/${name}`;
  const { spec } = await get<{ readonly spec: { readonly clusterIP: string } }>(cluster, path);
  await writeFile(join(run, "hosts"), `127.0.0.1 localhost\n${spec.clusterIP} ${host}\n`);
  await writeFile(join(run, "message"), "");
  await writeFile("/dev/termination-log", "", { flag: "a" });
  await namespace.run(["mount", "--bind", join(run, "hosts"), "/etc/hosts"]);
  await namespace.run(["mount", "--bind", join(run, "message"), "/dev/termination-log"]);
  await namespace.run(command);
  return readFile(join(run, "message"), "utf8");
}

/** The name of a container says what it runs; a gateway has nothing but its proxy. */
function startOwn(
  name: string,
  { cluster, pod, streams }: PodSpec,
  namespace: PodNamespace,
  run: string,
  watchdog: Watchdog,
): Program | undefined {
  const client = ({ targetsFile, resultsFile }: Stream) => ["client.ts", targetsFile, resultsFile];
  const programs: Readonly<Record<string, readonly string[]>> = {
    server: ["server.ts", String(serverPort)],
    client: client(streams.client),
    visitor: client(streams.visitor),
    stranger: client(streams.stranger),
  };
  const own = pod.spec.containers.flatMap((container) => programs[container.name] ?? []);
  const [file = "", ...words] = own;
  if (file === "") return undefined;
  const [path = "", ...enter] = namespace.enter;
  const title = `${cluster.name}/${pod.metadata.name}`;
  const script = [join(import.meta.dirname, file), title, join(run, "ready"), ...words];
  const args = [...enter, process.execPath, ...script];
  return startProgram({ name, path, args, log: `${run}.log` }, watchdog);
}
