import type { Kubernetes } from "../../kubernetes/interface.ts";
import { resources } from "../../kubernetes/resources.ts";
import { label } from "../model/vocabulary.ts";

/** A controller of Linkerd that mirrors one link into the cluster it runs in. */
export interface Controller {
  readonly namespace: string;
  readonly name: string;
  /** Name of its Link, which is that of the target. */
  readonly target: string;
  /** Pods that it should have. */
  readonly replicas: number;
  /** Pods that are ready. */
  readonly ready: number;
}

/**
 * Linkerd's controllers, by the labels that its charts give them (linkerd2, charts
 * linkerd-multicluster and linkerd-multicluster-link).
 *
 * @throws KubernetesError
 */
export async function controllersIn(kubernetes: Kubernetes): Promise<readonly Controller[]> {
  const labelSelector = `linkerd.io/extension=multicluster,${label.cluster}`;
  const found = await kubernetes.list(resources.deployments, { labelSelector });
  return found.map(({ metadata: { namespace, name, labels = {} }, spec, status }) => ({
    ...{ namespace, name, target: labels[label.cluster] ?? "" },
    replicas: spec?.replicas ?? 1,
    ready: status?.readyReplicas ?? 0,
  }));
}
