/** The objects that the demo makes and looks at, beyond those that mirroring itself knows. */
import {
  type ObjectMeta,
  type Resource,
  resources,
  type StringMap,
} from "@linkerd-multicluster/engine/kubernetes";

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

export const deployments: Resource<Workload> = resources.deployments as Resource<Workload>;
export const statefulSets: Resource<Workload> = resources.statefulSets as Resource<Workload>;
