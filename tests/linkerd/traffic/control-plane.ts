/**
 * Linkerd's control plane of one cluster: the programs of the pods that its charts have made, with the
 * arguments and volumes that these have, but on this machine itself, where the API server is.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { type BedCluster, until } from "../../bed/bed.ts";
import { writeKubeconfig } from "../../bed/kubeconfig.ts";
import { freePorts } from "../../bed/ports.ts";
import { type Program, startProgram } from "../../bed/processes.ts";
import type { Watchdog } from "../../bed/watchdog.ts";
import { get, inNamespace } from "../../e2e/access-clusters.ts";
import type { Network, Socket } from "./network.ts";
import { type Container, containerOf, type Pod } from "./objects.ts";
import { isReady } from "./ready.ts";
import { type ProgramName, program } from "./requirements.ts";
import { mountVolumes } from "./volumes.ts";

interface Component {
  readonly container: string;
  readonly program: ProgramName;
  /** At which proxies reach it. */
  readonly port?: number;
  /** The pod that the API server calls. */
  readonly webhook?: string;
  readonly flags: (own: Listeners, kubeconfig: string) => readonly string[];
}

interface Listeners {
  readonly service: string;
  readonly admin: string;
  readonly webhook: string;
}

const components: readonly Component[] = [
  {
    container: "identity",
    program: "controller",
    port: 8080,
    flags: ({ service, admin }, kubeconfig) => [
      `-addr=${service}`,
      `-admin-addr=${admin}`,
      `-kubeconfig=${kubeconfig}`,
    ],
  },
  {
    container: "destination",
    program: "controller",
    port: 8086,
    flags: ({ service, admin }, kubeconfig) => [
      `-addr=${service}`,
      `-metrics-addr=${admin}`,
      `-kubeconfig=${kubeconfig}`,
    ],
  },
  {
    container: "policy",
    program: "linkerd-policy-controller",
    port: 8090,
    webhook: "linkerd-policy-validator",
    flags: ({ service, admin, webhook }, kubeconfig) => [
      `--grpc-addr=${service}`,
      `--admin-addr=${admin}`,
      `--server-addr=${webhook}`,
      `--kubeconfig=${kubeconfig}`,
    ],
  },
  {
    container: "proxy-injector",
    program: "controller",
    webhook: "linkerd-proxy-injector",
    flags: ({ admin, webhook }, kubeconfig) => [
      `-addr=${webhook}`,
      `-metrics-addr=${admin}`,
      `-kubeconfig=${kubeconfig}`,
    ],
  },
];

/** Where a pod's proxy reaches the control plane. */
export const controlPorts = components.flatMap(({ port }) => (port === undefined ? [] : [port]));

/** How often volumes are compared with what they show, in milliseconds; a kubelet takes a minute. */
const refresh = 5_000;

interface Running {
  readonly pod: Pod;
  readonly container: Container;
  readonly run: string;
  readonly process: Program;
}

export interface ControlPlane {
  /** Brings it to what these pods say: starts and restarts programs, hands on volumes. */
  follow(pods: readonly Pod[]): Promise<void>;
  /** What is wrong with programs that have ended. */
  problems(): readonly string[];
}

/** @param address at which `network` leads proxies to it */
export async function newControlPlane(
  cluster: BedCluster,
  address: string,
  network: Network,
  folder: string,
  watchdog: Watchdog,
): Promise<ControlPlane> {
  const kubeconfig = join(folder, "kubeconfig");
  await mkdir(folder, { recursive: true });
  await writeKubeconfig(kubeconfig, [{ name: cluster.name, access: cluster.access }]);
  const running = new Map<Component, Running>();
  let mounted = 0;

  async function start(component: Component, pod: Pod, container: Container): Promise<void> {
    const { name, uid } = pod.metadata;
    const run = join(folder, `${component.container}-${uid}`);
    await mkdir(run, { recursive: true });
    await mountVolumes(cluster, pod, container, run);
    const [service = 0, admin = 0] = await freePorts(2);
    const at = (port: number): string => `${network.host}:${port}`;
    const webhook = component.webhook && (await webhookAddress(cluster, component.webhook));
    const last = running.get(component);
    if (webhook !== undefined) {
      await network.addHostAddress(webhook);
      await last?.process.end();
    }
    const listeners = {
      service: at(service),
      admin: at(admin),
      webhook: `${webhook ?? network.host}:443`,
    };
    const own = component.flags(listeners, kubeconfig);
    const given = (container.args ?? []).filter((arg) => !own.some((flag) => isSame(flag, arg)));
    const log = join(folder, `${component.container}.log`);
    const command = [program(component.program), ...given, ...own];
    const args = ["--mount", "sh", "-c", script, "sh", run, `HOSTNAME=${name}`, ...command];
    const title = `${component.container} of ${cluster.name}`;
    const process = startProgram({ name: title, path: program("unshare"), args, log }, watchdog);
    await until(`${title} to be ready`, [process], () =>
      isReady({ address: network.host, port: admin }),
    );
    running.set(component, { pod, container, run, process });
    if (component.port !== undefined) {
      const to: Socket = { address: network.host, port: service };
      await network.forward({ address, port: component.port }, to);
    }
    if (webhook === undefined) await last?.process.end();
  }

  return {
    async follow(pods) {
      const isTime = Date.now() > mounted + refresh;
      if (isTime) mounted = Date.now();
      for (const component of components) {
        const there = running.get(component);
        const [pod] = pods.filter(
          (each) =>
            each.metadata.deletionTimestamp === undefined &&
            each.status.podIP !== undefined &&
            containerOf(each, component.container) !== undefined,
        );
        const container = pod && containerOf(pod, component.container);
        if (pod === undefined || container === undefined) continue;
        // Some end when their API server does, and would be started again.
        const runs = there?.process.problem() === undefined;
        if (!runs || there?.pod.metadata.uid !== pod.metadata.uid)
          await start(component, pod, container);
        else if (isTime) await mountVolumes(cluster, there.pod, there.container, there.run);
      }
    },
    problems: () => [...running.values()].flatMap(({ process }) => process.problem() ?? []),
  };
}

const script = 'mount --make-rprivate / && mount --bind "$1" /run && shift && exec env "$@"';

/** Whether both set the same flag, by one hyphen or two. */
function isSame(flag: string, arg: string): boolean {
  const nameOf = (text: string): string => text.replace(/^--?/, "").replace(/=.*/s, "");
  return nameOf(flag) === nameOf(arg);
}

async function webhookAddress(cluster: BedCluster, service: string): Promise<string> {
  const path = `${inNamespace("linkerd", "services")}/${service}`;
  const { spec } = await get<{ readonly spec: { readonly clusterIP: string } }>(cluster, path);
  return spec.clusterIP;
}
