/** Looks into a cluster and prints the better part of what kubectl would, which need not be installed for the demo. */
import { stringify } from "yaml";

import {
  type Kubernetes,
  type ObjectName,
  resources,
} from "@linkerd-multicluster/engine/kubernetes";
import { label } from "@linkerd-multicluster/engine/mirroring";
import type { Screen } from "../screen.ts";

export interface Kubectl {
  /** The Services of all namespaces, on request with the label that exports them. */
  getServices(cluster: Kubernetes, options?: { readonly exported?: boolean }): Promise<void>;
  /** What one Service says of itself, without what Kubernetes keeps about it. */
  getService(cluster: Kubernetes, at: Required<ObjectName>): Promise<void>;
  /** The addresses of one Endpoints object with their hostnames. */
  getEndpoints(cluster: Kubernetes, at: Required<ObjectName>): Promise<void>;
}

export function kubectlOn(screen: Screen): Kubectl {
  const run = (cluster: Kubernetes, ...words: string[]): void => {
    screen.command(["kubectl", "--context", cluster.cluster, ...words].join(" "));
  };
  return {
    async getServices(cluster, { exported = false } = {}) {
      run(cluster, "get services -A", ...(exported ? [`-L ${label.exported}`] : []));
      const header = ["NAMESPACE", "NAME", "TYPE", "CLUSTER-IP", "PORT(S)"];
      const rows = (await cluster.list(resources.services)).map(({ metadata, spec }) => [
        ...[metadata.namespace, metadata.name, spec.type ?? "", spec.clusterIP ?? ""],
        (spec.ports ?? []).map(({ port, protocol = "TCP" }) => `${port}/${protocol}`).join(),
        ...(exported ? [metadata.labels?.[label.exported] ?? ""] : []),
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
    async getEndpoints(cluster, at) {
      run(cluster, `--namespace ${at.namespace} get endpoints ${at.name} -o yaml`);
      const { subsets } = await cluster.get(resources.endpoints, at);
      screen.output(`...\n${stringify({ subsets }).trimEnd()}`);
    },
  };
}
