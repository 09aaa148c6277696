/** Makes what a scenario needs in a cluster, as `kubectl apply` would. */
import {
  type Kubernetes,
  type ObjectMeta,
  type Resource,
  resources,
  type Service,
  type ServicePort,
  type StringMap,
} from "@linkerd-multicluster/engine/kubernetes";
import { gatewayName, installGateway } from "../../testbed/gateway.ts";

/** A Deployment or StatefulSet, of which mirroring itself knows less. */
interface Workload {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: StringMap };
    readonly serviceName?: string;
    readonly template: {
      readonly metadata: { readonly labels: StringMap };
      readonly spec: { readonly containers: readonly { readonly name: string; image: string }[] };
    };
  };
}

const deployments = resources.deployments as Resource<Workload>;
export const statefulSets = resources.statefulSets as Resource<Workload>;

export interface ServiceSpec {
  readonly namespace: string;
  readonly name: string;
  readonly ports: readonly ServicePort[];
  readonly labels?: StringMap;
  /** The label of its pods; default: the Service's name. */
  readonly app?: string;
}

export async function makeNamespaces(cluster: Kubernetes, ...names: string[]): Promise<void> {
  for (const name of names) await cluster.create(resources.namespaces, { metadata: { name } });
}

/** A Service and the Deployment of one pod behind it. */
export async function makeService(cluster: Kubernetes, spec: ServiceSpec): Promise<void> {
  await cluster.create(resources.services, serviceOf(spec));
  await cluster.create(deployments, workloadOf(spec, spec.name, 1));
}

/** A headless Service and the StatefulSet whose pods it names. */
export async function makeStatefulSet(
  cluster: Kubernetes,
  spec: ServiceSpec,
  set: { readonly name: string; readonly replicas: number },
): Promise<void> {
  await cluster.create(resources.services, serviceOf(spec, "None"));
  const workload = workloadOf(spec, set.name, set.replicas);
  await cluster.create(statefulSets, {
    ...workload,
    spec: { ...workload.spec, serviceName: spec.name },
  });
}

export async function makeGateway(cluster: Kubernetes, address: string): Promise<void> {
  await makeNamespaces(cluster, gatewayName.namespace);
  const identity =
    "linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd.cluster.local";
  await installGateway(cluster, { addresses: [address], port: 4143, identity });
}

function serviceOf(spec: ServiceSpec, clusterIP?: "None"): Service {
  const { namespace, name, labels = {}, ports } = spec;
  return {
    metadata: { namespace, name, labels },
    spec: { selector: podLabels(spec), ports, ...(clusterIP !== undefined && { clusterIP }) },
  };
}

function workloadOf(service: ServiceSpec, name: string, replicas: number): Workload {
  const labels = podLabels(service);
  return {
    metadata: { namespace: service.namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "nginx", image: "nginx" }] },
      },
    },
  };
}

const podLabels = ({ name, app = name }: ServiceSpec): StringMap => ({ app });
