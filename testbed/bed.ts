/**
 * The test bed: real Kubernetes control planes and a real Pulumi engine on this machine, without containers.
 *
 * Each cluster has its own API server and controllers, and pods that run as far as anyone can see from outside: kwok
 * plays the machines. All programs are the real ones (tools.ts). Everything is on 127.0.0.1 and in one folder under the
 * system's temporary one, and is gone when the bed stops or its process ends, whatever ends it (watchdog.ts).
 *
 *     const bed = await startBed({ clusters: ["west", { name: "east", workloads: false }] });
 *     await bed.clusters.west.cut();
 *     await bed.stop();
 */
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { type Cluster, startCluster } from "./cluster.ts";
import { BedError } from "./errors.ts";
import { startEtcd } from "./etcd.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { freePorts } from "./ports.ts";
import { pulumiFolder, pulumiSettings } from "./pulumi.ts";
import { folderPrefix, removeStale } from "./stale.ts";
import { type Toolbox, ensureTools } from "./tools.ts";
import { startWatchdog } from "./watchdog.ts";

export { mark, requestsOf } from "./audit.ts";
export type { AuditedRequest, Mark } from "./audit.ts";
export type { Cluster } from "./cluster.ts";
export { until } from "./processes.ts";
export { ensureTools } from "./tools.ts";

export interface BedSpec<Name extends string> {
  readonly clusters: readonly (Name | ClusterRequest<Name>)[];
  /** Gets text for the screen while programs are being built; default: the standard error stream. */
  readonly report?: (text: string) => void;
}

export interface ClusterRequest<Name extends string> {
  readonly name: Name;
  /** Whether pods run: a scheduler, a node and kwok. Default: true. Without, there are only controllers. */
  readonly workloads?: boolean;
}

export interface Bed<Name extends string> {
  /** Everything the bed writes is in here, the logs of its programs too. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly clusters: Readonly<Record<Name, Cluster>>;
  /** The folder with `pulumi` and the plugins it starts. */
  readonly pulumiBin: string;
  /** The folders to put first on PATH. */
  readonly path: readonly string[];
  /** The other variables that `pulumi` and `kubectl` are to be run with. */
  readonly settings: Readonly<Record<string, string>>;
  /** This process's environment with both. */
  readonly env: NodeJS.ProcessEnv;
  readonly stop: () => Promise<void>;
}

export async function startBed<const Name extends string>(spec: BedSpec<Name>): Promise<Bed<Name>> {
  const requests = spec.clusters.map((cluster) =>
    typeof cluster === "string" ? { name: cluster } : cluster,
  );
  checkNames(requests.map(({ name }) => name));
  const tools = await ensureTools(spec.report);
  const temporary = await realpath(tmpdir());
  await removeStale(temporary);
  const folder = await mkdtemp(join(temporary, folderPrefix(process.pid)));
  const watchdog = startWatchdog(folder);
  try {
    const [etcdPort = 0, ...ports] = await freePorts(1 + requests.length);
    const etcd = await startEtcd(tools.etcd, folder, etcdPort, watchdog);
    const clusters = await Promise.all(
      requests.map(async ({ name, workloads = true }, index) => {
        const port = ports[index] ?? 0;
        const own = { name, index, workloads, port, folder: join(folder, "clusters", name) };
        const cluster = await startCluster({ ...own, etcdUrl: etcd.url }, tools, watchdog);
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
      clusters: Object.fromEntries(clusters) as Record<Name, Cluster>,
      ...(await pulumiPart(tools, kubeconfig, folder)),
      stop: () => watchdog.end(),
    };
  } catch (error) {
    await watchdog.end();
    throw error;
  }
}

async function pulumiPart(
  tools: Toolbox,
  kubeconfig: string,
  folder: string,
): Promise<Pick<Bed<string>, "pulumiBin" | "path" | "settings" | "env">> {
  const pulumiBin = await pulumiFolder(tools, folder);
  const settings = await pulumiSettings(kubeconfig, folder);
  // The engine starts `node` by name, and must find this one.
  const path = [pulumiBin, dirname(process.execPath)];
  const PATH = [...path, process.env["PATH"] ?? ""].join(delimiter);
  // The engine leaves its pipes behind when it is killed; here they go with the bed.
  const TMPDIR = join(folder, "tmp");
  await mkdir(TMPDIR);
  return { pulumiBin, path, settings, env: { ...process.env, ...settings, PATH, TMPDIR } };
}

function checkNames(names: readonly string[]): void {
  const [first] = names;
  if (first === undefined) throw new BedError("A test bed needs at least one cluster.");
  for (const [index, name] of names.entries()) {
    // A name is a folder, a prefix in etcd and a node.
    if (!/^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/.test(name)) {
      throw new BedError(
        `"${name}" can't name a cluster: use up to 52 lower-case letters, digits and hyphens, as in "${first === name ? "west" : first}".`,
      );
    }
    if (names.indexOf(name) !== index) throw new BedError(`Two clusters are named "${name}".`);
  }
}
