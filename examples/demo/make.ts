/** Makes what a scenario needs in a cluster, as `kubectl apply` would. */
import {
  type Kubernetes,
  type Resource,
  resources,
  type ServicePort,
  type StringMap,
} from "@linkerd-multicluster/engine/kubernetes";
import { gatewayName, installGateway } from "../../tests/bed/gateway.ts";

interface ServiceSpec {
  readonly namespace: string;
  readonly name: string;
  readonly ports: readonly ServicePort[];
  readonly labels?: StringMap;
  /** Its pods have this label; by default the Service's name. */
  readonly app?: string;
}

export async function makeNamespaces(cluster: Kubernetes, ...names: string[]): Promise<void> {
  for (const name of names) await cluster.create(resources.namespaces, { metadata: { name } });
}

/** Creates a Service and the Deployment of one pod behind it. */
export async function makeService(cluster: Kubernetes, spec: ServiceSpec): Promise<void> {
  await makePods(cluster, resources.deployments, spec, {}, spec.name, { replicas: 1 });
}

/** Creates a headless Service and the StatefulSet whose pods it names. */
export async function makeStatefulSet(
  cluster: Kubernetes,
  spec: ServiceSpec,
  set: { readonly name: string; readonly replicas: number },
): Promise<void> {
  const own = { replicas: set.replicas, serviceName: spec.name };
  await makePods(cluster, resources.statefulSets, spec, { clusterIP: "None" }, set.name, own);
}

export async function makeGateway(cluster: Kubernetes, address: string): Promise<void> {
  await makeNamespaces(cluster, gatewayName.namespace);
  const identity =
    "linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd.cluster.local";
  await installGateway(cluster, { ip: address, port: 4143, identity });
}

async function makePods(
  cluster: Kubernetes,
  kind: Resource<object>,
  { namespace, name, labels = {}, ports, app = name }: ServiceSpec,
  service: object,
  workloadName: string,
  workload: object,
): Promise<void> {
  await cluster.create(resources.services, {
    metadata: { namespace, name, labels },
    spec: { selector: { app }, ports, ...service },
  });
  await cluster.create(kind, {
    metadata: { namespace, name: workloadName },
    spec: {
      ...workload,
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: { containers: [{ name: "nginx", image: "nginx" }] },
      },
    },
  });
}
