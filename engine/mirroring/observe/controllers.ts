import type { Kubernetes } from "../../kubernetes/interface.ts";
import type { Resource } from "../../kubernetes/resources.ts";
import type { ObjectMeta } from "../../kubernetes/objects.ts";
import { label } from "../model/vocabulary.ts";

/** A controller of Linkerd's that mirrors one link into the cluster it runs in. */
export interface Controller {
  readonly namespace: string;
  readonly name: string;
  /** Name of its Link, which is that of the target. */
  readonly target: string;
  /** Pods that it is to have. */
  readonly replicas: number;
  /** Pods that are ready. */
  readonly ready: number;
}

interface Deployment {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number };
}

const deployments: Resource<Deployment> = {
  apiVersion: "apps/v1",
  path: "apis/apps/v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};

/**
 * Linkerd's controllers, by the labels that its charts give them (linkerd2, charts
 * linkerd-multicluster and linkerd-multicluster-link).
 *
 * @throws KubernetesError
 */
export async function controllersIn(kubernetes: Kubernetes): Promise<readonly Controller[]> {
  const labelSelector = `linkerd.io/extension=multicluster,${label.cluster}`;
  const found = await kubernetes.list(deployments, { labelSelector });
  return found.map(({ metadata: { namespace, name, labels = {} }, spec, status }) => ({
    ...{ namespace, name, target: labels[label.cluster] ?? "" },
    replicas: spec?.replicas ?? 1,
    ready: status?.readyReplicas ?? 0,
  }));
}
