import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { execa } from "execa";

import { type Access, request } from "../request.ts";
import type { Toolbox } from "../tools.ts";
import type { Watchdog } from "../watchdog.ts";
import type { Image } from "./images.ts";
import { makeKit } from "./kit.ts";
import { hostAddress, podNetwork, startLan } from "./lan.ts";
import { type BedNode, dnsAddressOf, startNode } from "./node.ts";

export type { BedNode } from "./node.ts";

export interface NodesSpec {
  /** Every bed with nodes has some images already. */
  readonly images?: readonly Image[];
  /** `cluster.local` is the default. */
  readonly domains?: Readonly<Record<string, string>>;
  /** By default, no two clusters give pods the same addresses. */
  readonly podNetworks?: Readonly<Record<string, string>>;
}

export interface Nodes<Name extends string> {
  readonly hostAddress: string;
  readonly kubectl: string;
  add(cluster: Name, access: Access): Promise<void>;
  of(cluster: Name): BedNode | undefined;
}

/** Returns before there is a node, since the network comes first. */
export async function startNodes<Name extends string>(
  folder: string,
  clusters: readonly Name[],
  { images = [], domains = {}, podNetworks = {} }: NodesSpec,
  tools: Toolbox,
  watchdog: Watchdog,
): Promise<Nodes<Name>> {
  const kit = await makeKit(folder, tools, images);
  const lan = await startLan(clusters.length, folder, watchdog);
  const nodes = new Map<Name, BedNode>();
  const { kubectl } = kit;
  return {
    hostAddress,
    kubectl,
    of: (cluster) => nodes.get(cluster),
    async add(cluster, access) {
      const index = clusters.indexOf(cluster);
      const domain = domains[cluster] ?? "cluster.local";
      const network = podNetworks[cluster] ?? podNetwork(index);
      const spec = { cluster, index, podNetwork: network, domain, access, bedFolder: folder };
      const node = await startNode(spec, kit, lan, watchdog);
      nodes.set(cluster, node);
      await addDns(kubectl, join(folder, "nodes", cluster), index, domain);
      void balance(access, node.balancer);
    },
  };
}

async function addDns(
  kubectl: string,
  folder: string,
  index: number,
  domain: string,
): Promise<void> {
  const kubeconfig = join(folder, "kubeconfig");
  const template = await readFile(join(import.meta.dirname, "coredns.yaml"), "utf8");
  const input = template.replaceAll("DOMAIN", domain).replaceAll("ADDRESS", dnsAddressOf(index));
  const run = (...words: string[]) =>
    execa(kubectl, [`--kubeconfig=${kubeconfig}`, "--namespace=kube-system", ...words], { input });
  await run("apply", "--filename=-");
  await run("rollout", "status", "deployment/coredns", "--timeout=120s");
}

/** In milliseconds, between looks for Services without an address. */
const interval = 500;

/** Does what a cloud does for Services of type LoadBalancer, as long as this process lives. */
async function balance(access: Access, address: string): Promise<void> {
  const status = { loadBalancer: { ingress: [{ ip: address }] } };
  for (;;) {
    // While the cluster can't be reached, its Services stay as they are.
    await assign(access, { status }).catch(() => undefined);
    await sleep(interval, undefined, { ref: false });
  }
}

async function assign(access: Access, patch: object): Promise<void> {
  const { body } = await request(access, "GET", "/api/v1/services");
  const { items } = body as { readonly items: readonly Balanced[] };
  for (const { metadata, spec, status } of items) {
    if (spec.type !== "LoadBalancer" || status.loadBalancer?.ingress !== undefined) continue;
    const path = `/api/v1/namespaces/${metadata.namespace}/services/${metadata.name}/status`;
    await request(access, "PATCH", path, patch);
  }
}

interface Balanced {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: { readonly type: string };
  readonly status: { readonly loadBalancer?: { readonly ingress?: unknown } };
}
