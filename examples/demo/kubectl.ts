/** Shows each command of kubectl, carries it out, and prints the better part of what kubectl would. It need not be installed. */
import { stringify } from "yaml";

import {
  type Kubernetes,
  type ObjectName,
  resources,
} from "@linkerd-multicluster/engine/kubernetes";
import { label } from "@linkerd-multicluster/engine/mirroring";
import type { Screen } from "./screen.ts";

type At = Required<ObjectName>;

export type Kubectl = ReturnType<typeof kubectlOn>;

export function kubectlOn(screen: Screen) {
  const show = (cluster: Kubernetes, words: string, { namespace = "default" } = {}): void => {
    const within = namespace === "default" ? "" : ` -n ${namespace}`;
    screen.command(`kubectl --context ${cluster.cluster}${within} ${words}`);
  };
  const yaml = (shown: object): void => {
    screen.output(`...\n${stringify(shown).trimEnd()}`);
  };
  return {
    /** `exported` adds the label that exports them. */
    async getServices(cluster: Kubernetes, { exported = false } = {}) {
      show(cluster, `get services -A${exported ? ` -L ${label.exported}` : ""}`);
      const header = ["NAMESPACE", "NAME", "TYPE", "CLUSTER-IP", "PORT(S)"];
      const rows = (await cluster.list(resources.services)).map(({ metadata, spec }) => [
        ...[metadata.namespace, metadata.name, spec.type ?? "", spec.clusterIP ?? ""],
        (spec.ports ?? []).map(({ port, protocol = "TCP" }) => `${port}/${protocol}`).join(),
        ...(exported ? [metadata.labels?.[label.exported] ?? ""] : []),
      ]);
      screen.table([exported ? [...header, "EXPORTED"] : header, ...rows]);
    },
    /** Leaves out the fields that Kubernetes maintains. */
    async getService(cluster: Kubernetes, at: At) {
      show(cluster, `get service ${at.name} -o yaml`, at);
      const { metadata, spec } = await cluster.get(resources.services, at);
      const { annotations, labels, name, namespace } = metadata;
      yaml({ metadata: { annotations, labels, name, namespace }, spec: { ports: spec.ports } });
    },
    async getEndpoints(cluster: Kubernetes, at: At) {
      show(cluster, `get endpoints ${at.name} -o yaml`, at);
      yaml({ subsets: (await cluster.get(resources.endpoints, at)).subsets });
    },
    /** @param value null takes the label off */
    async labelService(cluster: Kubernetes, at: At, key: string, value: string | null) {
      show(cluster, `label service ${at.name} ${key}${value === null ? "-" : `=${value}`}`, at);
      await cluster.patch(resources.services, at, { metadata: { labels: { [key]: value } } });
      screen.output(`service/${at.name} ${value === null ? "un" : ""}labeled`);
    },
    async deleteService(cluster: Kubernetes, at: At) {
      show(cluster, `delete service ${at.name}`, at);
      await cluster.remove(resources.services, at);
      screen.output(`service "${at.name}" deleted`);
    },
    async scale(cluster: Kubernetes, set: At, replicas: number) {
      show(cluster, `scale statefulset ${set.name} --replicas ${replicas}`, set);
      await cluster.patch(resources.statefulSets, set, { spec: { replicas } });
      screen.output(`statefulset.apps/${set.name} scaled`);
    },
  };
}
