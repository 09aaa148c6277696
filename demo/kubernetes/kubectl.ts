/**
 * The commands of kubectl that the demo needs: each is shown, carried out, and answered with the better part of what
 * kubectl would print. It need not be installed.
 */
import { stringify } from "yaml";

import {
  type Kubernetes,
  type ObjectName,
  resources,
} from "@linkerd-multicluster/engine/kubernetes";
import { label } from "@linkerd-multicluster/engine/mirroring";
import type { Screen } from "../screen.ts";
import { statefulSets } from "./make.ts";

type At = Required<ObjectName>;

export interface Kubectl {
  /** The Services of all namespaces, on request with the label that exports them. */
  getServices(cluster: Kubernetes, options?: { readonly exported?: boolean }): Promise<void>;
  /** One Service without what Kubernetes keeps about it. */
  getService(cluster: Kubernetes, at: At): Promise<void>;
  /** The addresses of one Endpoints object with their hostnames. */
  getEndpoints(cluster: Kubernetes, at: At): Promise<void>;
  /** @param value null takes the label off */
  labelService(cluster: Kubernetes, at: At, key: string, value: string | null): Promise<void>;
  deleteService(cluster: Kubernetes, at: At): Promise<void>;
  scale(cluster: Kubernetes, set: At, replicas: number): Promise<void>;
}

export function kubectlOn(screen: Screen): Kubectl {
  const show = (cluster: Kubernetes, ...words: readonly string[]): void => {
    screen.command(["kubectl", "--context", cluster.cluster, ...words].join(" "));
  };
  const within = ({ namespace }: At): string => (namespace === "default" ? "" : `-n ${namespace} `);
  return {
    async getServices(cluster, { exported = false } = {}) {
      show(cluster, "get services -A", ...(exported ? [`-L ${label.exported}`] : []));
      const header = ["NAMESPACE", "NAME", "TYPE", "CLUSTER-IP", "PORT(S)"];
      const rows = (await cluster.list(resources.services)).map(({ metadata, spec }) => [
        ...[metadata.namespace, metadata.name, spec.type ?? "", spec.clusterIP ?? ""],
        (spec.ports ?? []).map(({ port, protocol = "TCP" }) => `${port}/${protocol}`).join(),
        ...(exported ? [metadata.labels?.[label.exported] ?? ""] : []),
      ]);
      screen.table([exported ? [...header, "EXPORTED"] : header, ...rows]);
    },
    async getService(cluster, at) {
      show(cluster, `${within(at)}get service ${at.name} -o yaml`);
      const { metadata, spec } = await cluster.get(resources.services, at);
      const { annotations, labels, name, namespace } = metadata;
      const shown = { metadata: { annotations, labels, name, namespace } };
      screen.output(`...\n${stringify({ ...shown, spec: { ports: spec.ports } }).trimEnd()}`);
    },
    async getEndpoints(cluster, at) {
      show(cluster, `${within(at)}get endpoints ${at.name} -o yaml`);
      const { subsets } = await cluster.get(resources.endpoints, at);
      screen.output(`...\n${stringify({ subsets }).trimEnd()}`);
    },
    async labelService(cluster, at, key, value) {
      const change = value === null ? `${key}-` : `${key}=${value}`;
      show(cluster, `${within(at)}label service ${at.name} ${change}`);
      await cluster.patch(resources.services, at, { metadata: { labels: { [key]: value } } });
      screen.output(`service/${at.name} ${value === null ? "un" : ""}labeled`);
    },
    async deleteService(cluster, at) {
      show(cluster, `${within(at)}delete service ${at.name}`);
      await cluster.remove(resources.services, at);
      screen.output(`service "${at.name}" deleted`);
    },
    async scale(cluster, set, replicas) {
      show(cluster, `${within(set)}scale statefulset ${set.name} --replicas ${replicas}`);
      await cluster.patch(statefulSets, set, { spec: { replicas } });
      screen.output(`statefulset.apps/${set.name} scaled`);
    },
  };
}
