import { join } from "node:path";

import { type ApiServerSpec, authorityFile, serviceAccountKeyFile } from "./api-server.ts";
import { UNRECORDED } from "./audit.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { type Program, startProgram } from "./processes.ts";
import type { Access } from "./request.ts";
import type { Toolbox, ToolName } from "./tools.ts";
import type { Watchdog } from "./watchdog.ts";

/** `pods` adds a scheduler, a node and kwok to the controllers, and `nodes` a scheduler and a real node. */
export type Runs = "nothing" | "controllers" | "pods" | "nodes";

interface ControllersSpec extends Pick<ApiServerSpec, "name" | "index" | "folder" | "tokens"> {
  readonly runs: Runs;
  readonly access: Access;
}

/** Kwok lets all pods of a cluster run on this node. */
export const nodeOf = (cluster: string): string => `${cluster}-node`;

/** Clusters without machines, volumes and autoscaling use no other controllers. */
const CONTROLLERS = [
  "clusterrole-aggregation",
  "deployment",
  "endpoints",
  "endpointslice",
  "endpointslice-mirroring",
  "garbage-collector",
  "job",
  "namespace",
  "replicaset",
  "root-ca-certificate-publisher",
  "serviceaccount",
  "serviceaccount-token",
  "statefulset",
].map((name) => `${name}-controller`);

export async function startControllers(
  spec: ControllersSpec,
  tools: Toolbox,
  watchdog: Watchdog,
): Promise<Program[]> {
  const start = async (tool: ToolName, user: string, args: string[]): Promise<Program> => {
    const kubeconfig = join(spec.folder, `${tool}.kubeconfig`);
    const access = { ...spec.access, token: spec.tokens.get(user) ?? "" };
    await writeKubeconfig(kubeconfig, [{ name: user, access }]);
    const log = join(spec.folder, `${tool}.log`);
    const all = [`--kubeconfig=${kubeconfig}`, ...args];
    return startProgram(
      { name: `${tool} of ${spec.name}`, path: tools[tool], args: all, log },
      watchdog,
    );
  };
  if (spec.runs === "nothing") return [];
  const controllerManager = start("kube-controller-manager", UNRECORDED.controllerManager, [
    `--controllers=${CONTROLLERS.join(",")}`,
    `--service-account-private-key-file=${serviceAccountKeyFile(spec.folder)}`,
    `--root-ca-file=${authorityFile(spec.folder)}`,
    ...ALONE,
    ...FAST,
    ...[
      ...["endpoint", "service-endpoint", "namespace", "gc"].map((kind) => `concurrent-${kind}`),
      "mirroring-concurrent-service-endpoint",
    ].map((flag) => `--${flag}-syncs=20`),
  ]);
  if (spec.runs === "controllers") return [await controllerManager];
  const scheduler = start("kube-scheduler", UNRECORDED.scheduler, [...ALONE, ...FAST]);
  if (spec.runs === "nodes") return Promise.all([controllerManager, scheduler]);
  return Promise.all([
    controllerManager,
    scheduler,
    start("kwok", UNRECORDED.kwok, [
      `--config=${join(import.meta.dirname, "kwok-stages.yaml")}`,
      // Other tests decide what runs on other nodes.
      `--manage-single-node=${nodeOf(spec.name)}`,
      `--cidr=10.${150 + spec.index}.0.0/16`,
      // No kubelet renews the lease of a node that does not exist.
      "--node-lease-duration-seconds=0",
    ]),
  ]);
}

/** There is no other instance to elect a leader with, and nobody reads the metrics. */
const ALONE = ["--leader-elect=false", "--secure-port=0"];

/** Tests wait for these: the defaults would take minutes for thousands of Services. */
const FAST = ["--kube-api-qps=2000", "--kube-api-burst=4000"];
