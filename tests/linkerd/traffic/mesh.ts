/** Three clusters with Linkerd's own programs, meshed by this program, and pods whose requests cross them. */
import { join } from "node:path";

import { type Bed, startBed, until } from "../../bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../../bed/stack.ts";
import { startWatchdog } from "../../bed/watchdog.ts";
import { get, inNamespace } from "../../e2e/access-clusters.ts";
import { chartsFolder } from "../real-plugins.ts";
import { type Network, newNetwork } from "./network.ts";
import { type Node, startNode } from "./node.ts";
import { containerOf, type Pod } from "./objects.ts";
import { serverPort } from "./pod.ts";
import { Stream, type Target } from "./stream.ts";
import { addShop, namespace } from "./workloads.ts";

export type Name = "west" | "east" | "north";

export interface Mesh {
  readonly bed: Bed<Name>;
  readonly stack: PulumiStack;
  readonly network: Network;
  readonly stream: Stream;
  /** From clients with an account of their own. */
  readonly visitors: Stream;
  /** From where there is no proxy. */
  readonly strangers: Stream;
  readonly nodes: Readonly<Record<Name, Node>>;
  readonly up: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

const names = ["west", "east", "north"] as const;

export async function startMesh(): Promise<Mesh> {
  const bed = await startBed({ clusters: names, hasServices: true });
  const folder = join(bed.folder, "traffic");
  const watchdog = startWatchdog(folder);
  const stop = async (): Promise<void> => {
    await watchdog.end();
    await bed.stop();
  };
  try {
    const network = await newNetwork(folder, watchdog);
    const streams = {
      client: await Stream.create(folder, "client"),
      visitor: await Stream.create(folder, "visitor"),
      stranger: await Stream.create(folder, "stranger"),
    };
    const nodes = await Promise.all(
      names.map(async (name, index) => {
        const cluster = bed.clusters[name];
        const spec = { cluster, index, network, streams, folder: join(folder, name) };
        return [name, await startNode(spec, watchdog)] as const;
      }),
    );
    const stack = await newStack(bed, "traffic", config(bed));
    const up = () => stack.pulumi("up", "--yes", "--skip-preview");
    for (const cluster of Object.values(bed.clusters)) await addShop(cluster);
    await up();
    const { client: stream, visitor: visitors, stranger: strangers } = streams;
    const mesh = { bed, stack, network, stream, visitors, strangers, up, stop };
    return { ...mesh, nodes: Object.fromEntries(nodes) as Record<Name, Node> };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What pods of `cluster` find by the name of one of its Services. */
export async function targetOf(
  { bed }: Mesh,
  cluster: Name,
  service: string,
  authority = `${service}.${namespace}.svc.cluster.local`,
): Promise<Target> {
  const path = `${inNamespace(namespace, "services")}/${service}`;
  const { spec } = await get<{ readonly spec: { readonly clusterIP: string } }>(
    bed.clusters[cluster],
    path,
  );
  return { name: service, address: spec.clusterIP, port: serverPort, authority };
}

/** Nobody but this makes gateways that are injected: the injector may have come after them. */
export async function restartGateway({ bed }: Mesh, name: Name): Promise<void> {
  const cluster = bed.clusters[name];
  const path = inNamespace("linkerd-multicluster", "pods");
  const pods = async () => (await get<{ readonly items: readonly Pod[] }>(cluster, path)).items;
  for (const { metadata } of await pods())
    await cluster.request("DELETE", `${path}/${metadata.name}`);
  await until(
    "a gateway with a proxy",
    [],
    async () =>
      (await pods()).some((pod) => containerOf(pod, "linkerd-proxy") !== undefined) || undefined,
  );
}

/** East mirrors from west through a gateway, and from north on the flat network that all pods share. */
export function config({ clusters }: Bed<Name>, link: Config = {}, trust: Config = {}): Config {
  const values = { "linkerd-control-plane": { disableIPv6: true } };
  return {
    manage: "all",
    clusters: {
      west: { apiServer: clusters.west.server, values },
      east: { apiServer: clusters.east.server, values, gateway: false },
      north: { apiServer: clusters.north.server, values, gateway: false },
    },
    links: [
      { source: "east", target: "west", headless: true, ...link },
      { source: "east", target: "north", ...link },
    ],
    trust,
    charts: { source: chartsFolder },
  };
}
