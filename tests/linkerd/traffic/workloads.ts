/** What a user deploys: Deployments and a StatefulSet of meshed pods, and their Services. */
import type { StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import type { BedCluster } from "../../bed/bed.ts";
import { inNamespace, post } from "../../e2e/access-clusters.ts";
import { dirname, join } from "node:path";

import { patience } from "./stream.ts";

/** The Services have the same port, since a gateway reaches the pods of a headless Service at its own port. */
export const serverPort = 80;

export const namespace = "shop";

export interface Workload {
  readonly name: string;
  /** Which program of these tests its pods run. */
  readonly program: "server" | "client" | "visitor" | "stranger";
  readonly replicas?: number;
  /** Its service account, by default the namespace's. */
  readonly account?: string;
}

/** Where clients find their targets and leave their results: nodes share the bed's folder with this machine. */
export const streamsFolder = ({ auditLog }: BedCluster): string =>
  join(auditLog, "../../../traffic");

/** Whatever is in it is injected with a proxy. */
export async function addShop(cluster: BedCluster): Promise<void> {
  const annotations = { "linkerd.io/inject": "enabled" };
  await post(cluster, "/api/v1/namespaces", { metadata: { name: namespace, annotations } });
}

export async function addAccount(cluster: BedCluster, name: string): Promise<void> {
  await post(cluster, inNamespace(namespace, "serviceaccounts"), { metadata: { name } });
}

/** By what proxies know pods with such an account. */
export const identityOf = (account: string, of = namespace): string =>
  `${account}.${of}.serviceaccount.identity.linkerd.cluster.local`;

export async function addDeployment(cluster: BedCluster, workload: Workload): Promise<void> {
  const { name, replicas = 1 } = workload;
  await post(cluster, `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: template(cluster, workload),
    },
  });
}

export async function addStatefulSet(
  cluster: BedCluster,
  workload: Workload,
  serviceName: string,
): Promise<void> {
  const { name, replicas = 1 } = workload;
  await post(cluster, `/apis/apps/v1/namespaces/${namespace}/statefulsets`, {
    metadata: { name },
    spec: {
      replicas,
      serviceName,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: name } },
      template: template(cluster, workload),
    },
  });
}

export async function addService(
  cluster: BedCluster,
  name: string,
  app: string,
  labels: StringMap,
  more: object = {},
): Promise<void> {
  await post(cluster, inNamespace(namespace, "services"), {
    metadata: { name, labels },
    spec: {
      selector: { app },
      ports: [{ name: "http", port: serverPort }],
      ...more,
    },
  });
}

/** The pods run this machine's Node and scripts of this folder. */
function template(cluster: BedCluster, { name, program, account = "default" }: Workload): object {
  const streams = streamsFolder(cluster);
  const file = (kind: string): string => join(streams, `${program}.${kind}`);
  const words =
    program === "server"
      ? [join(import.meta.dirname, "server.ts"), podName(cluster), String(serverPort)]
      : [
          ...[join(import.meta.dirname, "client.ts"), podName(cluster)],
          ...[file("targets.json"), file("results.jsonl"), String(patience)],
        ];
  const folders = [dirname(process.execPath), import.meta.dirname, streams];
  const volumes = folders.map((path, index) => ({ name: `folder${index}`, hostPath: { path } }));
  return {
    metadata: {
      labels: { app: name },
      ...(program === "stranger" && { annotations: { "linkerd.io/inject": "disabled" } }),
    },
    spec: {
      serviceAccountName: account,
      volumes,
      containers: [
        {
          name: program,
          image: "bed.local/nginx:1",
          command: [process.execPath, ...words],
          env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
          ports: [{ containerPort: serverPort }],
          volumeMounts: volumes.map(({ name, hostPath }) => ({ name, mountPath: hostPath.path })),
          startupProbe: {
            exec: { command: ["cat", "/ready"] },
            periodSeconds: 1,
            failureThreshold: 120,
          },
        },
      ],
    },
  };
}

const podName = ({ name }: BedCluster): string => `${name}/$(POD)`;
