/** Linkerd's own controller for a link, for comparison: the program is given, and talks to clusters of the bed. */
import { join } from "node:path";

import type { Cluster } from "./cluster.ts";
import { BedError } from "./errors.ts";
import { kubeconfigText, writeKubeconfig } from "./kubeconfig.ts";
import { addLink, addLinkCrd, namespace } from "./links.ts";
import { freePorts } from "./ports.ts";
import { type Program, startProgram } from "./processes.ts";
import type { Watchdog } from "./watchdog.ts";

export interface ServiceMirrorSpec {
  /** Linkerd's program `controller`. */
  readonly program: string;
  /** Where it writes mirrors. */
  readonly source: Cluster;
  /** Whose exports it mirrors, on a flat network: labelled `mirror.linkerd.io/exported: remote-discovery`. */
  readonly target: Cluster;
  /** For its kubeconfig and its log. */
  readonly folder: string;
}

/** Makes what the controller reads: the Link, and the credentials for the target. */
export async function addServiceMirrorLink({ source, target }: ServiceMirrorSpec): Promise<void> {
  await addLinkCrd(source);
  const credentials = `cluster-credentials-${target.name}`;
  const path = `/api/v1/namespaces/${namespace}/secrets`;
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

export async function startServiceMirror(
  { program, source, target, folder }: ServiceMirrorSpec,
  watchdog: Watchdog,
): Promise<Program> {
  const kubeconfig = join(folder, "service-mirror.kubeconfig");
  await writeKubeconfig(kubeconfig, [source]);
  const [port = 0] = await freePorts(1);
  const args = [
    ...["HOSTNAME=service-mirror", program, "service-mirror", `-kubeconfig=${kubeconfig}`],
    ...[`-namespace=${namespace}`, `-metrics-addr=127.0.0.1:${port}`, target.name],
  ];
  const log = join(folder, "service-mirror.log");
  return startProgram({ name: "Linkerd's controller", path: "env", args, log }, watchdog);
}
