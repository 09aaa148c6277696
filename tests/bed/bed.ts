/**
 * The test bed: real Kubernetes control planes and a real Pulumi engine on this machine, without containers.
 *
 * Each cluster has its own API server and controllers, and pods that run as far as anyone can see from outside: kwok
 * plays the machines. All programs are the real ones (tools.ts) but the scheduler, which has one node to choose from.
 * Everything is on 127.0.0.1 and in one folder under the system's temporary one, and is gone when the bed stops or its
 * process ends, whatever ends it (watchdog.ts).
 *
 *     const bed = await startBed({ clusters: ["west", "east"], runs: "controllers" });
 *     await bed.clusters.west.cut();
 *     await bed.stop();
 */
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { omitUndefined, UserError } from "@linkerd-multicluster/engine/base";
import { startEtcd } from "./api-server.ts";
import { type BedCluster, startCluster } from "./cluster.ts";
import type { Runs } from "./controllers.ts";
import { type CloudDns, type Dns, startDns } from "./dns.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { freePorts } from "./ports.ts";
import { type EngineParts, pulumiFolder, pulumiSettings } from "./pulumi.ts";
import { type BedNode, type NodesSpec, startNodes } from "./nodes/nodes.ts";
import { ensureTools } from "./tools.ts";
import { folderPrefix, removeStale, startWatchdog } from "./watchdog.ts";

export { mark, requestsOf } from "./audit.ts";
export type { AuditedRequest, AuditLog } from "./audit.ts";
export type { BedCluster } from "./cluster.ts";
export type { BedNode } from "./nodes/nodes.ts";
export type { Dns } from "./dns.ts";
export { until } from "./processes.ts";

interface BedSpec<Name extends string> {
  readonly clusters: readonly Name[];
  /** `pods` is the default. */
  readonly runs?: Runs | Readonly<Record<Name, Runs>>;
  readonly nodes?: NodesSpec;
}

export interface Bed<Name extends string> extends EngineParts {
  readonly kubeconfig: string;
  readonly clusters: Readonly<Record<Name, BedCluster>>;
  readonly node: (cluster: Name) => BedNode;
  /** Most tests do without it. */
  readonly dns: (cluster: Name, domain?: string, cloud?: CloudDns) => Promise<Dns>;
  readonly stop: () => Promise<void>;
}

export async function startBed<const Name extends string>({
  clusters: names,
  runs = "pods",
  nodes: nodesSpec = {},
}: BedSpec<Name>): Promise<Bed<Name>> {
  checkNames(names);
  const tools = await ensureTools();
  const temporary = await realpath(tmpdir());
  await removeStale(temporary);
  const folder = await mkdtemp(join(temporary, folderPrefix(process.pid)));
  const watchdog = startWatchdog(folder);
  try {
    const runsIn = (name: Name): Runs => (typeof runs === "string" ? runs : runs[name]);
    const nodes = names.some((name) => runsIn(name) === "nodes")
      ? await startNodes(folder, names, nodesSpec, tools, watchdog)
      : undefined;
    const [etcdPort = 0, ...ports] = await freePorts(1 + names.length);
    const etcdUrl = await startEtcd(tools.etcd, folder, etcdPort, watchdog);
    const clusters = await Promise.all(
      names.map(async (name, index) => {
        const own = {
          name,
          index,
          port: ports[index] ?? 0,
          folder: join(folder, "clusters", name),
          ...omitUndefined({ address: nodes?.hostAddress }),
        };
        const spec = { ...own, runs: runsIn(name), etcdUrl };
        const cluster = await startCluster(spec, tools, watchdog, async (access) =>
          nodes?.add(name, access),
        );
        return [name, cluster] as const;
      }),
    );
    const kubeconfig = join(folder, "kubeconfig");
    await writeKubeconfig(
      kubeconfig,
      clusters.map(([, cluster]) => cluster),
    );
    return {
      folder,
      kubeconfig,
      clusters: Object.fromEntries(clusters) as Record<Name, BedCluster>,
      node(name) {
        const node = nodes?.of(name);
        if (node === undefined) throw new UserError(`${name} has no node.`);
        return node;
      },
      dns: (context, domain = "cluster.local", cloud) =>
        startDns(
          { folder, kubeconfig, context, domain, ...omitUndefined({ cloud }) },
          tools.coredns,
          watchdog,
        ),
      // The engine starts `node` by name, and must find this one.
      path: [
        await pulumiFolder(tools, folder),
        dirname(process.execPath),
        ...(nodes === undefined ? [] : [dirname(nodes.kubectl)]),
      ],
      settings: await pulumiSettings(kubeconfig, folder),
      stop: () => watchdog.end(),
    };
  } catch (error) {
    await watchdog.end();
    throw error;
  }
}

function checkNames(names: readonly string[]): void {
  const [first] = names;
  if (first === undefined) throw new UserError("A test bed needs at least one cluster.");
  for (const [index, name] of names.entries()) {
    // A name becomes a folder, a prefix in etcd and a node.
    if (!/^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/.test(name)) {
      throw new UserError(
        `"${name}" can't name a cluster: use up to 52 lower-case letters, digits and hyphens, as in "${first === name ? "west" : first}".`,
      );
    }
    if (names.indexOf(name) !== index) throw new UserError(`Two clusters are named "${name}".`);
  }
}
