import { linkerdConfigOf } from "../credentials/linkerd-config.ts";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { LinkResource } from "../kubernetes/objects/link-resource.ts";
import { keyOf, type Node, type ObjectKey } from "../kubernetes/objects/objects.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import type { Controller } from "../mirroring/model/controller.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import { label } from "../mirroring/model/vocabulary.ts";
import { resultOf } from "../result.ts";
import { readAnchors, readIssuer } from "../trust/observe.ts";
import type { LinkerdReading } from "./reading.ts";

export async function readLinkerd(
  kubernetes: Kubernetes,
  namespace: string,
): Promise<LinkerdReading> {
  const [links, anchors, issuer, config] = await Promise.all([
    resultOf(() => linksIn(kubernetes)),
    resultOf(() => readAnchors(kubernetes, namespace)),
    resultOf(async () => (await readIssuer(kubernetes, namespace)).issuer),
    resultOf(() => linkerdConfigOf(kubernetes, namespace)),
  ]);
  if ("why" in config) return { links, anchors, issuer, domains: config, version: config };
  const [domains, version] = [config.value?.domains, config.value?.version];
  return { links, anchors, issuer, domains: { value: domains }, version: { value: version } };
}

/** Returns undefined if the cluster doesn't serve Links. */
async function linksIn(kubernetes: Kubernetes): Promise<readonly LinkResource[] | undefined> {
  try {
    return await kubernetes.list(resources.links);
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "notFound") return undefined;
    throw error;
  }
}

/** The chart gives this value of the label `component` to the local service mirror. */
const localMirror = "local-service-mirror";

/**
 * Finds Linkerd's controllers by the labels that its charts give them (linkerd2, charts
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

export function namespacesWithMirrors({ services }: ClusterSnapshot): string[] {
  const mirrors = [...services.values()].filter(
    ({ metadata: { labels = {} } }) =>
      labels[label.mirrored] === "true" && labels[label.mirroredGateway] === undefined,
  );
  return [...new Set(mirrors.map(({ metadata }) => metadata.namespace))].sort();
}

/**
 * The namespaces, and the pods in each, are limited, because one pod without a proxy is enough for the finding.
 */
const sample = { namespaces: 20, pods: 10 };

/**
 * Returns a pod without a proxy for each namespace that has one. Linkerd's injector labels meshed pods (`IsMeshed` in
 * `pkg/k8s/labels.go` of linkerd2); pods that opt out of injection are ignored.
 */
export async function unmeshedIn(
  kubernetes: Kubernetes,
  namespaces: readonly string[],
): Promise<readonly ObjectKey[]> {
  const options = {
    labelSelector: "!linkerd.io/control-plane-ns",
    fieldSelector: "status.phase!=Succeeded,status.phase!=Failed",
    first: sample.pods,
  };
  const found = await Promise.all(
    namespaces
      .slice(0, sample.namespaces)
      .map((namespace) => kubernetes.list(resources.pods, { namespace, ...options })),
  );
  return found.flatMap((pods) =>
    pods
      .filter(({ metadata }) => metadata.annotations?.["linkerd.io/inject"] !== "disabled")
      .slice(0, 1)
      .map(keyOf),
  );
}

/** Reads the ranges from which the nodes of a cluster give addresses to pods. */
export function podRangesOf(nodes: readonly Node[]): readonly string[] {
  return [...new Set(nodes.flatMap(({ spec }) => spec?.podCIDRs ?? []))].sort();
}
