import type { Kubernetes } from "../../kubernetes/client/interface.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import type { Controller } from "../model/controller.ts";
import { label } from "../model/vocabulary.ts";

/** The value of the label `component` that the chart gives to the local service mirror. */
const localMirror = "local-service-mirror";

/**
 * Linkerd's controllers, by the labels that its charts give them (linkerd2, charts
 * linkerd-multicluster and linkerd-multicluster-link).
 *
 * @throws KubernetesError
 */
export async function controllersIn(
  kubernetes: Pick<Kubernetes, "list">,
): Promise<readonly Controller[]> {
  const labelSelector = "linkerd.io/extension=multicluster";
  const found = await kubernetes.list(resources.deployments, { labelSelector });
  return found.flatMap(({ metadata: { namespace, name, labels = {} }, spec, status }) => {
    const target = labels[label.cluster];
    // The extension's gateway is a Deployment of this label as well.
    if (target === undefined && labels.component !== localMirror) return [];
    const [replicas, ready] = [spec?.replicas ?? 1, status?.readyReplicas ?? 0];
    return [{ namespace, name, target, replicas, ready }];
  });
}
