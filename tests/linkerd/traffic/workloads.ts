/** Creates what a user deploys: Deployments and a StatefulSet of meshed pods, and their Services. */
import type { StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import type { BedCluster } from "../../bed/bed.ts";
import { inNamespace, post } from "../../e2e/access-clusters.ts";
import { dirname, join } from "node:path";

import { patience } from "./stream.ts";

/**
 * Pods and Services have the same port, since a gateway reaches the pods of a headless Service at the Service's port.
 */
export const serverPort = 80;

export const namespace = "shop";

export const exported = { "mirror.linkerd.io/exported": "true" };
export const discovered = { "mirror.linkerd.io/exported": "remote-discovery" };
export const member = { "mirror.linkerd.io/federated": "member" };

interface Workload {
  readonly name: string;
  /** The program of these tests that its pods run. */
  readonly program: "server" | "client" | "visitor" | "stranger";
  readonly replicas?: number;
  /** Its service account. The default is the namespace's. */
  readonly account?: string;
}

/** Clients find their targets here and leave their results. Nodes share the bed's folder with this machine. */
export const streamsFolder = ({ auditLog }: BedCluster): string =>
  join(auditLog, "../../../traffic");

/** Creates a namespace whose pods get a proxy. */
export async function addShop(cluster: BedCluster): Promise<void> {
  const annotations = { "linkerd.io/inject": "enabled" };
  await post(cluster, "/api/v1/namespaces", { metadata: { name: namespace, annotations } });
}

export async function addAccount(cluster: BedCluster, name: string): Promise<void> {
  await post(cluster, inNamespace(namespace, "serviceaccounts"), { metadata: { name } });
}

/** Returns the identity of pods with such an account. */
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

/** Deploys servers, and exports west's for a gateway, north's for discovery, and all clusters' as a federated Service. */
export async function addExports(
  clusters: Readonly<Record<"west" | "east" | "north", BedCluster>>,
): Promise<void> {
  const { west, north } = clusters;
  await addDeployment(west, { name: "web", program: "server" });
  await addService(west, "web", "web", exported);
  await addDeployment(north, { name: "vault", program: "server" });
  await addService(north, "vault", "vault", discovered);
  for (const cluster of Object.values(clusters)) {
    await addDeployment(cluster, { name: "api", program: "server" });
    await addService(cluster, "api", "api", member);
  }
}

/** Deploys pods in west with names of their own, and clients in east. */
export async function addPodsAndClients({
  west,
  east,
}: Readonly<Record<"west" | "east", BedCluster>>): Promise<void> {
  await addService(west, "nginx-svc", "nginx-set", exported, { clusterIP: "None" });
  await addStatefulSet(west, { name: "nginx-set", program: "server", replicas: 2 }, "nginx-svc");
  await addAccount(east, "client");
  await addDeployment(east, { name: "client", program: "client", account: "client" });
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
