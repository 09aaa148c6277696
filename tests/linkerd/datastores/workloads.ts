/** Deploys what the guide's manifests describe, and what only this test needs. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { stringify } from "yaml";

import type { Clusters, Name } from "../traffic/mesh.ts";
import { names } from "../traffic/mesh.ts";
import { addPodsAndClients, discovered, exported, namespace } from "../traffic/workloads.ts";
import { blockOf } from "./guide.ts";
import { image } from "./images.ts";

export const mysqlPort = 3307;
export const rpcPort = 50_051;

/** Ports of Services in west, all of which lead to a port that MySQL's pods have marked opaque. */
export const otherPorts = {
  /** Linkerd takes it for opaque by default. */
  usual: { port: 3306 },
  declared: { port: 3308, appProtocol: "linkerd.io/opaque" },
  unmarked: { port: 3309 },
} as const;

export async function apply(
  { bed, kubectl }: Pick<Clusters, "bed" | "kubectl">,
  cluster: Name,
  manifests: string,
): Promise<void> {
  const file = join(bed.folder, "manifests.yaml");
  await writeFile(file, manifests);
  await kubectl(cluster, "apply", "--validate=strict", `--filename=${file}`);
}

/** Returns the manifest of the guide for another cluster than west. */
export function etcdOf(cluster: Name): string {
  return blockOf("etcd.yaml").replaceAll("$(POD)-west", `$(POD)-${cluster}`);
}

export function aliasOf(pod: string, cluster: Name): string {
  return blockOf("alias.yaml").replace("etcd-0-west", `${pod}-${cluster}`).replace("etcd-0", pod);
}

export async function addDatastores(clusters: Clusters): Promise<void> {
  for (const name of names)
    await apply(clusters, name, `${etcdOf(name)}---\n${aliasOf("etcd-0", name)}`);
  const secret = { metadata: { name: "mysql", namespace }, stringData: { password: "secret" } };
  const password = { apiVersion: "v1", kind: "Secret", ...secret };
  const mysql = blockOf("mysql.yaml");
  const flat = mysql
    .replace('exported: "true"', "exported: remote-discovery")
    .replace("--server-id=1", "--server-id=2");
  for (const [name, manifests] of [
    ["west", mysql],
    ["north", flat],
  ] as const)
    await apply(clusters, name, `${stringify(password)}---\n${manifests}`);
  const others = Object.entries(otherPorts).map(([name, port]) =>
    service(name, "mysql", [{ name: "mysql", targetPort: mysqlPort, ...port }], exported),
  );
  await apply(clusters, "west", all(others));
  for (const name of ["west", "north"] as const) {
    const labels = {
      ...(name === "west" ? exported : discovered),
      "mirror.linkerd.io/federated": "member",
    };
    const ports = [{ name: "grpc", port: rpcPort }];
    const declared = ports.map((each) => ({ ...each, appProtocol: "kubernetes.io/h2c" }));
    await apply(
      clusters,
      name,
      all([
        service("rpc", "rpc", declared, labels),
        service("rpc-pods", "rpc", ports, exported, { clusterIP: "None" }),
        workload("StatefulSet", "rpc", ["rpc", "serve", `:${rpcPort}`, `${name}/$(POD)`], 3),
      ]),
    );
  }
  await apply(clusters, "east", workload("Deployment", "shell", ["sleep", "infinity"]));
  await addPodsAndClients(clusters.bed.clusters);
}

function service(
  name: string,
  app: string,
  ports: readonly object[],
  labels: object,
  more: object = {},
): string {
  const metadata = { name, namespace, labels };
  const spec = { selector: { app }, ports, ...more };
  return stringify({ apiVersion: "v1", kind: "Service", metadata, spec });
}

function workload(
  kind: "Deployment" | "StatefulSet",
  name: string,
  command: readonly string[],
  replicas = 1,
): string {
  const fieldRef = { fieldPath: "metadata.name" };
  const container = { name, image, command, env: [{ name: "POD", valueFrom: { fieldRef } }] };
  const spec = {
    ...(kind === "StatefulSet" && { serviceName: `${name}-pods`, podManagementPolicy: "Parallel" }),
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
  };
  return stringify({ apiVersion: "apps/v1", kind, metadata: { name, namespace }, spec });
}

const all = (manifests: readonly string[]): string => manifests.join("---\n");
