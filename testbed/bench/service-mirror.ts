import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { type AuditedRequest, isWriteRequest, mark, requestsOf } from "../audit.ts";
import type { BedCluster } from "../cluster.ts";
import { type Program, startProgram, until } from "../processes.ts";
import { BedError } from "../errors.ts";
import { kubeconfigText, writeKubeconfig } from "../kubeconfig.ts";
import { addLink, addLinkCrd, namespace as linkNamespace } from "../links.ts";
import { freePorts } from "../ports.ts";
import { startWatchdog, type Watchdog } from "../watchdog.ts";
import type { Figure } from "./figure.ts";
import { withPair } from "./pair.ts";
import { namespace, Writer } from "./writer.ts";

/** The time that Linkerd's controller may take, in seconds. */
const patience = 3_600;

/** Times in seconds, from the beginning of what made the mirrors. */
interface Mirroring {
  readonly first: number;
  readonly last: number;
  /** Requests that write, to the source. */
  readonly writes: number;
}

/**
 * The first `up`, and beside it Linkerd's controller from its start, one after the other on the same clusters with
 * the same exports.
 *
 * @param program Linkerd's `controller`
 */
export function measureServiceMirror(exports: number, program: string): Promise<readonly Figure[]> {
  return withPair(exports, async ({ bed, stack }) => {
    const { east, west } = bed.clusters;
    const ours = await mirroring(east, () => stack.pulumi("up", "--yes", "--skip-preview"));
    const writer = new Writer(east);
    await writer.deleteAll("mirror.linkerd.io/mirrored-service=true");
    await writer.close();
    const folder = join(bed.folder, "service-mirror");
    const spec: ServiceMirrorSpec = { program, source: east, target: west, folder };
    await mkdir(folder);
    await addServiceMirrorLink(spec);
    const watchdog = startWatchdog(folder);
    try {
      const theirs = await mirroring(east, async () => {
        const controller = await startServiceMirror(spec, watchdog);
        await mirrored(east, exports, controller);
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

/** Asks for one Service and how many there are besides: whole lists would keep the API server busy. */
async function mirrored(source: BedCluster, count: number, controller: Program): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/services?limit=1`;
  const probe = async (): Promise<true | undefined> => {
    const { items, metadata } = (await source.request("GET", path)).body as ServiceList;
    return items.length + (metadata.remainingItemCount ?? 0) >= count || undefined;
  };
  await until("the last mirror of Linkerd's controller", [controller], probe, patience);
}

interface ServiceList {
  readonly metadata: { readonly remainingItemCount?: number };
  readonly items: readonly unknown[];
}

function figuresOf(exports: number, ours: Mirroring, theirs: Mirroring): Figure[] {
  const beside = (what: string, unit: Figure["unit"], of: (one: Mirroring) => number): Figure => ({
    ...{ row: "service-mirror", what: `${exports} exports: ${what}`, value: of(ours), unit },
    against: { what: "Linkerd's controller", value: of(theirs) },
  });
  return [
    beside("from the start to the last mirror", "s", ({ last }) => last),
    beside("from the first mirror to the last", "s", ({ first, last }) => last - first),
    beside("requests that write", "writes", ({ writes }) => writes),
  ];
}

/** Linkerd's own controller for a link: the program is given, and talks to clusters of the bed. */
interface ServiceMirrorSpec {
  /** Linkerd's program `controller`. */
  readonly program: string;
  /** The cluster in which it writes mirrors. */
  readonly source: BedCluster;
  /** The cluster whose exports it mirrors, on a flat network: labelled `mirror.linkerd.io/exported: remote-discovery`. */
  readonly target: BedCluster;
  /** The folder for its kubeconfig and its log. */
  readonly folder: string;
}

/** Makes what the controller reads: the Link, and the credentials for the target. */
async function addServiceMirrorLink({ source, target }: ServiceMirrorSpec): Promise<void> {
  await addLinkCrd(source);
  const credentials = `cluster-credentials-${target.name}`;
  const path = `/api/v1/namespaces/${linkNamespace}/secrets`;
  const { code, body } = await source.request("POST", path, {
    metadata: { name: credentials },
    type: "mirror.linkerd.io/remote-kubeconfig",
    stringData: { kubeconfig: kubeconfigText([target]) },
  });
  if (code !== 201) throw new BedError(`${source.name} takes no Secret: ${JSON.stringify(body)}`);
  await addLink(source, target.name, {
    targetClusterDomain: "cluster.local",
    clusterCredentialsSecret: credentials,
    remoteDiscoverySelector: { matchLabels: { "mirror.linkerd.io/exported": "remote-discovery" } },
  });
}

async function startServiceMirror(
  { program, source, target, folder }: ServiceMirrorSpec,
  watchdog: Watchdog,
): Promise<Program> {
  const kubeconfig = join(folder, "service-mirror.kubeconfig");
  await writeKubeconfig(kubeconfig, [source]);
  const [port = 0] = await freePorts(1);
  const args = [
    ...["HOSTNAME=service-mirror", program, "service-mirror", `-kubeconfig=${kubeconfig}`],
    ...[`-namespace=${linkNamespace}`, `-metrics-addr=127.0.0.1:${port}`, target.name],
  ];
  const log = join(folder, "service-mirror.log");
  return startProgram({ name: "Linkerd's controller", path: "env", args, log }, watchdog);
}
