/**
 * What runs in a cluster: its control plane, its gateway, and the pods of the node `workers`, which
 * the test bed leaves to it. It does what a kubelet and a cloud's load balancers do.
 */
import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import type { BedCluster } from "../../bed/bed.ts";
import type { Watchdog } from "../../bed/watchdog.ts";
import { addBalancerAddress, get, post } from "../../e2e/access-clusters.ts";
import { newControlPlane } from "./control-plane.ts";
import type { Network } from "./network.ts";
import { containerOf, containersOf, type GatewayService, type Pod } from "./objects.ts";
import { type RunningPod, startPod } from "./pod.ts";
import type { Streams } from "./stream.ts";

export const nodeName = "workers";

export interface NodeSpec {
  readonly cluster: BedCluster;
  /** Tells the clusters of a network apart. */
  readonly index: number;
  readonly network: Network;
  readonly streams: Streams;
  readonly folder: string;
}

export interface Node {
  /** The addresses of pods that run. */
  addresses(): readonly string[];
  /** Has the gateway at another address, and at the one before until `network` loses it. */
  moveGateway(address: string): Promise<void>;
  /** What the gateway's proxy has counted. */
  gatewayMetrics(): Promise<string>;
  /** What has gone wrong so far. */
  problems(): readonly string[];
}

const gatewayPath = "/api/v1/namespaces/linkerd-multicluster/services/linkerd-gateway";
const gatewayPorts = [4143, 4191];

/** Between two looks at the cluster, in milliseconds. */
const interval = 500;

export async function startNode(spec: NodeSpec, watchdog: Watchdog): Promise<Node> {
  const { cluster, index, network, folder } = spec;
  const control = `198.51.100.${index + 1}`;
  await mkdir(folder, { recursive: true });
  await post(cluster, "/api/v1/nodes", { metadata: { name: nodeName } });
  const plane = await newControlPlane(cluster, control, network, `${folder}/control`, watchdog);
  const pods = new Map<string, RunningPod>();
  const underWay = new Map<string, Promise<unknown>>();
  /** By what went wrong, the last time that it was tried. */
  const problems = new Map<string, string>();
  let balancer = `203.0.113.${index + 1}`;
  let gateway: RunningPod | undefined;
  let count = 0;

  /** One thing at a time for each name, while everything else goes on. */
  function once(name: string, action: () => Promise<void>): void {
    if (underWay.has(name)) return;
    const done = action()
      .then(
        () => problems.delete(name),
        (error: unknown) => problems.set(name, `${cluster.name}: ${name}: ${String(error)}`),
      )
      .then(() => underWay.delete(name));
    underWay.set(name, done);
  }

  async function start(pod: Pod): Promise<void> {
    const address = pod.status.podIP ?? `10.${170 + index}.0.${++count}`;
    const running = await startPod({ ...spec, pod, address, control }, watchdog);
    pods.set(pod.metadata.uid, running);
    if (pod.spec.nodeName === nodeName) {
      await reportReady(cluster, pod, address);
      const message = await running.task?.();
      if (message !== undefined) await reportEnded(cluster, pod, message);
      return;
    }
    gateway = running;
    await balance(balancer, running);
  }

  async function place(pod: Pod): Promise<void> {
    const target = { apiVersion: "v1", kind: "Node", name: nodeName };
    await post(cluster, `${pathOf(pod)}/binding`, {
      metadata: { name: pod.metadata.name },
      target,
    });
  }

  async function balance(address: string, to: RunningPod): Promise<void> {
    for (const port of gatewayPorts)
      await network.forward({ address, port }, { address: to.address, port });
  }

  async function end(uid: string, running: RunningPod): Promise<void> {
    await running.end();
    pods.delete(uid);
  }

  async function round(): Promise<void> {
    const { items } = await get<{ readonly items: readonly Pod[] }>(cluster, "/api/v1/pods");
    once("the control plane", () => plane.follow(items));
    const live = new Set(items.map(({ metadata }) => metadata.uid));
    // Where no other node takes pods, those that nobody has placed are for this one.
    for (const pod of items.filter(isVerification))
      once(`place ${pod.metadata.uid}`, () => place(pod));
    for (const pod of items.filter(isOurs)) {
      const { uid, deletionTimestamp } = pod.metadata;
      const running = pods.get(uid);
      const isNew = running === undefined && !problems.has(uid);
      if (isNew && deletionTimestamp === undefined) once(uid, () => start(pod));
      if (running !== undefined && deletionTimestamp !== undefined)
        once(uid, async () => {
          await end(uid, running);
          await cluster.request("DELETE", `${pathOf(pod)}?gracePeriodSeconds=0`);
        });
    }
    for (const [uid, running] of pods)
      // The last gateway serves until there is another.
      if (!live.has(uid) && running !== gateway) once(uid, () => end(uid, running));
    once("the load balancer", async () => {
      if (await waitsForAddress(cluster)) await addBalancerAddress(cluster, balancer);
    });
  }

  void (async () => {
    for (;;) {
      // While nothing can be read, everything runs on as it does.
      await round().catch(() => undefined);
      await sleep(interval, undefined, { ref: false });
    }
  })();

  function theGateway(): RunningPod {
    if (gateway === undefined) throw new Error(`${cluster.name} has no gateway.`);
    return gateway;
  }

  return {
    addresses: () => [...pods.values()].map(({ address }) => address),
    async moveGateway(address) {
      const running = theGateway();
      balancer = address;
      await balance(address, running);
      await addBalancerAddress(cluster, address);
    },
    gatewayMetrics: () => theGateway().metrics(),
    problems: () => [
      ...problems.values(),
      ...plane.problems(),
      ...[...pods.values()].flatMap((pod) => pod.problem() ?? []),
    ],
  };
}

/** A gateway whose proxy has not been injected serves nobody. */
function isOurs(pod: Pod): boolean {
  if (pod.spec.nodeName === nodeName) return true;
  const isGateway = pod.metadata.labels?.["app"] === "linkerd-gateway";
  const isThere = pod.status.podIP !== undefined && containerOf(pod, "linkerd-proxy") !== undefined;
  return isGateway && isThere;
}

function isVerification({ metadata: { labels = {} }, spec }: Pod): boolean {
  return spec.nodeName === undefined && labels["app.kubernetes.io/component"] === "verify";
}

async function waitsForAddress(cluster: BedCluster): Promise<boolean> {
  const { code, body } = await cluster.request("GET", gatewayPath);
  if (code !== 200) return false;
  const { spec, status } = body as GatewayService;
  return spec.type === "LoadBalancer" && (status.loadBalancer?.ingress ?? []).length === 0;
}

const pathOf = ({ metadata: { namespace, name } }: Pod): string =>
  `/api/v1/namespaces/${namespace}/pods/${name}`;

async function reportReady(cluster: BedCluster, pod: Pod, address: string): Promise<void> {
  const statusOf = ({ name }: { readonly name: string }) => ({
    name,
    image: name,
    imageID: name,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: {} },
  });
  const names = new Set(pod.spec.containers.map(({ name }) => name));
  const all = containersOf(pod);
  const conditions = ["Initialized", "ContainersReady", "Ready"];
  const { code, body } = await cluster.request("PATCH", `${pathOf(pod)}/status`, {
    status: {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: conditions.map((type) => ({ type, status: "True" })),
      containerStatuses: all.filter(({ name }) => names.has(name)).map(statusOf),
      initContainerStatuses: all.filter(({ name }) => !names.has(name)).map(statusOf),
    },
  });
  if (code !== 200) throw new Error(`${pathOf(pod)}: ${JSON.stringify(body)}`);
}

async function reportEnded(cluster: BedCluster, pod: Pod, message: string): Promise<void> {
  const state = { terminated: { exitCode: 0, message } };
  const containerStatuses = pod.spec.containers.map(({ name }) => ({
    name,
    image: name,
    imageID: name,
    ready: false,
    restartCount: 0,
    state,
  }));
  const status = { phase: "Succeeded", containerStatuses };
  const { code, body } = await cluster.request("PATCH", `${pathOf(pod)}/status`, { status });
  if (code !== 200) throw new Error(`${pathOf(pod)}: ${JSON.stringify(body)}`);
}
