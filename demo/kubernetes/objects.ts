/** The objects that the demo makes and looks at, beyond those that mirroring itself knows. */
import type { Resource } from "../../engine/kubernetes/resources.ts";
import type { Endpoints, ObjectMeta, Service, StringMap } from "../../engine/kubernetes/objects.ts";

export interface Dated {
  readonly metadata: ObjectMeta & { readonly creationTimestamp?: string };
}

export interface PodTemplate {
  readonly metadata: { readonly labels: StringMap };
  readonly spec: { readonly containers: readonly { readonly name: string; image: string }[] };
}

export interface Workload {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: StringMap };
    readonly serviceName?: string;
    readonly template: PodTemplate;
  };
}

export interface Pod extends Dated {
  readonly status: {
    readonly phase: string;
    readonly containerStatuses?: readonly {
      readonly ready: boolean;
      readonly restartCount: number;
    }[];
  };
}

const core = { apiVersion: "v1", path: "api/v1", namespaced: true };
const apps = { apiVersion: "apps/v1", path: "apis/apps/v1", namespaced: true };

export const services: Resource<Service & Dated> = { ...core, kind: "Service", plural: "services" };
export const endpoints: Resource<Endpoints & Dated> = {
  ...core,
  kind: "Endpoints",
  plural: "endpoints",
};
export const pods: Resource<Pod> = { ...core, kind: "Pod", plural: "pods" };
export const deployments: Resource<Workload> = {
  ...apps,
  kind: "Deployment",
  plural: "deployments",
};
export const statefulSets: Resource<Workload> = {
  ...apps,
  kind: "StatefulSet",
  plural: "statefulsets",
};
