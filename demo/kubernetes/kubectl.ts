/** Looks into a cluster and prints what kubectl would, which need not be installed for the demo. */
import { stringify } from "yaml";

import {
  type Endpoints,
  type Kubernetes,
  type ObjectMeta,
  type ObjectName,
  resources,
  type Service,
} from "@linkerd-multicluster/engine/kubernetes";
import { label } from "@linkerd-multicluster/engine/mirroring";
import type { Screen } from "../screen.ts";
import { type Pod, pods } from "./objects.ts";

export interface Kubectl {
  /** The Services of all namespaces, on request with the label that exports them. */
  getServices(cluster: Kubernetes, options?: { readonly exported?: boolean }): Promise<void>;
  /** What one Service says of itself, without what Kubernetes keeps about it. */
  getService(cluster: Kubernetes, at: Required<ObjectName>): Promise<void>;
  getEndpoints(cluster: Kubernetes): Promise<void>;
  /** The addresses of one Endpoints object with their hostnames. */
  getSubsets(cluster: Kubernetes, at: Required<ObjectName>): Promise<void>;
  getPods(cluster: Kubernetes, namespace: string, selector: string): Promise<void>;
}

export function kubectlOn(screen: Screen): Kubectl {
  const run = (cluster: Kubernetes, ...words: string[]): void => {
    screen.command(["kubectl", "--context", cluster.cluster, ...words].join(" "));
  };
  return {
    async getServices(cluster, { exported = false } = {}) {
      run(cluster, "get services -A", ...(exported ? [`-L ${label.exported}`] : []));
      const header = ["NAMESPACE", "NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"];
      const rows = (await cluster.list(resources.services)).map((service) => [
        ...serviceRow(service),
        ...(exported ? [service.metadata.labels?.[label.exported] ?? ""] : []),
      ]);
      screen.table([exported ? [...header, "EXPORTED"] : header, ...rows]);
    },
    async getService(cluster, at) {
      run(cluster, `--namespace ${at.namespace} get service ${at.name} -o yaml`);
      const { metadata, spec } = await cluster.get(resources.services, at);
      const { annotations, labels, name, namespace } = metadata;
      const shown = { metadata: { annotations, labels, name, namespace } };
      screen.output(`...\n${stringify({ ...shown, spec: { ports: spec.ports } }).trimEnd()}`);
    },
    async getEndpoints(cluster) {
      run(cluster, "get endpoints -A");
      const rows = (await cluster.list(resources.endpoints)).map(endpointsRow);
      screen.table([["NAMESPACE", "NAME", "ENDPOINTS", "AGE"], ...rows]);
    },
    async getSubsets(cluster, at) {
      run(cluster, `--namespace ${at.namespace} get endpoints ${at.name} -o yaml`);
      const { subsets } = await cluster.get(resources.endpoints, at);
      screen.output(`...\n${stringify({ subsets }).trimEnd()}`);
    },
    async getPods(cluster, namespace, labelSelector) {
      run(cluster, `--namespace ${namespace} get pods -l ${labelSelector}`);
      const rows = (await cluster.list(pods, { namespace, labelSelector })).map(podRow);
      screen.table([["NAME", "READY", "STATUS", "RESTARTS", "AGE"], ...rows]);
    },
  };
}

function serviceRow(service: Service): string[] {
  const { metadata, spec, status } = service;
  const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname);
  const external = spec.type === "LoadBalancer" ? ingress.join() || "<pending>" : "<none>";
  const ports = (spec.ports ?? []).map(
    ({ port, nodePort, protocol = "TCP" }) =>
      `${port}${nodePort === undefined ? "" : `:${nodePort}`}/${protocol}`,
  );
  return [
    metadata.namespace,
    metadata.name,
    spec.type ?? "",
    spec.clusterIP ?? "",
    external,
    ports.join(),
    ageOf(service),
  ];
}

function endpointsRow(object: Endpoints): string[] {
  const all = (object.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip}:${port}`)),
  );
  const more = all.length > 3 ? ` + ${all.length - 3} more...` : "";
  const shown = all.length === 0 ? "<none>" : all.slice(0, 3).join() + more;
  return [object.metadata.namespace, object.metadata.name, shown, ageOf(object)];
}

function podRow(pod: Pod): string[] {
  const { containerStatuses = [], phase } = pod.status;
  const ready = containerStatuses.filter((status) => status.ready).length;
  const restarts = containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return [
    pod.metadata.name,
    `${ready}/${containerStatuses.length}`,
    phase,
    String(restarts),
    ageOf(pod),
  ];
}

function ageOf({ metadata }: { readonly metadata: ObjectMeta }): string {
  const seconds = Math.floor((Date.now() - Date.parse(metadata.creationTimestamp ?? "")) / 1000);
  return seconds < 120 ? `${Math.max(seconds, 0)}s` : `${Math.floor(seconds / 60)}m`;
}
