import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { UserError } from "@linkerd-multicluster/engine/base";
import { type AuditedRequest, isWriteRequest, mark, requestsOf } from "../../tests/bed/audit.ts";
import type { BedCluster } from "../../tests/bed/cluster.ts";
import { type Program, startProgram, until } from "../../tests/bed/processes.ts";
import { kubeconfigText, writeKubeconfig } from "../../tests/bed/kubeconfig.ts";
import { addLink, addLinkCrd, namespace as linkNamespace } from "../../tests/bed/links.ts";
import { freePorts } from "../../tests/bed/ports.ts";
import { startWatchdog, type Watchdog } from "../../tests/bed/watchdog.ts";
import type { Figure } from "./figure.ts";
import { withPair } from "./pair.ts";
import { Writer } from "./writer.ts";

/** Linkerd's controller may take this many seconds. */
const patience = 3_600;

/** Times are in seconds from the beginning. */
interface Mirroring {
  readonly first: number;
  readonly last: number;
  /** The number of requests that write to the source. */
  readonly writes: number;
}

/** Measures the first `up` and then Linkerd's controller from its start, on the same clusters with the same exports. */
export function measureServiceMirror(exports: number, program: string): Promise<readonly Figure[]> {
  return withPair(exports, "flat", async ({ bed, stack }) => {
    const { east, west } = bed.clusters;
    const ours = await mirroring(east, () => stack.pulumi("up", "--yes", "--skip-preview"));
    const writer = new Writer(east);
    await writer.deleteAll("mirror.linkerd.io/mirrored-service=true");
    await writer.close();
    await addServiceMirrorLink(east, west);
    const folder = join(bed.folder, "service-mirror");
    await mkdir(folder);
    const watchdog = startWatchdog(folder);
    try {
      const theirs = await mirroring(east, async () => {
        await mirrored(east, exports, await startServiceMirror(program, east, folder, watchdog));
      });
      return figuresOf(exports, ours, theirs);
    } finally {
      await watchdog.end();
    }
  });
}

async function mirroring(source: BedCluster, work: () => Promise<unknown>): Promise<Mirroring> {
  const before = await mark(source);
  const started = Date.now();
  await work();
  const writes = (await requestsOf(before)).filter(isWriteRequest);
  const mirrors = writes.filter(isMirror).map(({ answered }) => (answered - started) / 1000);
  return { first: Math.min(...mirrors), last: Math.max(...mirrors), writes: writes.length };
}

function isMirror({ verb, resource, code }: AuditedRequest): boolean {
  return verb === "create" && resource === "services" && code === 201;
}

/** Asks for one Service and how many there are besides `kubernetes`: whole lists would keep the API server busy. */
async function mirrored(source: BedCluster, count: number, controller: Program): Promise<void> {
  const path = "/api/v1/services?limit=1";
  const probe = async (): Promise<true | undefined> => {
    const { items, metadata } = (await source.request("GET", path)).body as {
      readonly metadata: { readonly remainingItemCount?: number };
      readonly items: readonly unknown[];
    };
    return items.length + (metadata.remainingItemCount ?? 0) > count || undefined;
  };
  await until("the last mirror of Linkerd's controller", [controller], probe, patience);
}

function figuresOf(exports: number, ours: Mirroring, theirs: Mirroring): Figure[] {
  const beside = (what: string, unit: Figure["unit"], of: (one: Mirroring) => number): Figure => ({
    what: `${exports} exports: ${what}`,
    value: of(ours),
    unit,
    against: { what: "Linkerd's controller", value: of(theirs) },
  });
  return [
    beside("from the start to the last mirror", "s", ({ last }) => last),
    beside("from the first mirror to the last", "s", ({ first, last }) => last - first),
    beside("requests that write", "writes", ({ writes }) => writes),
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
