import { readAnchors, readIssuer } from "../../trust/observe.ts";
import { linkerdConfigOf } from "../../credentials/linkerd-config.ts";
import { KubernetesError } from "../../kubernetes/client/errors.ts";
import type { LinkResource } from "../../kubernetes/objects/link-resource.ts";
import type { Kubernetes } from "../../kubernetes/client/interface.ts";
import { defined } from "../../kubernetes/objects/defined.ts";
import { keyOf, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import type { Clusters } from "../../mirroring/observe/clusters.ts";
import type { ClusterSnapshot } from "../../mirroring/model/snapshot.ts";
import { label } from "../../mirroring/model/vocabulary.ts";
import type { HealthMesh } from "../mesh.ts";
import { type ClusterFacts, type LinkerdReading, type Read, read } from "../view.ts";
import { resources } from "../../kubernetes/objects/resources.ts";

/** Reads one cluster by itself. Never throws. */
export async function readCluster(
  world: Clusters,
  mesh: HealthMesh,
  name: string,
): Promise<ClusterFacts> {
  const access = mesh.clusters[name] ?? { context: name };
  const snapshot = await read(() => world.snapshot(name, access));
  if ("why" in snapshot) return { snapshot };
  const kubernetes = await world.client(name, access);
  const namespaces = withMirrors(snapshot.value);
  const isSource = mesh.links.some(({ link }) => link.source === name);
  const [controllers, linkerd, unmeshed] = await Promise.all([
    isSource ? read(() => world.controllers(name, access)) : undefined,
    mesh.manage === "mirrors" ? undefined : readLinkerd(kubernetes, mesh),
    namespaces.length === 0 ? undefined : read(() => unmeshedIn(kubernetes, namespaces)),
  ]);
  return { snapshot, ...defined({ controllers, linkerd, unmeshed }) };
}

function withMirrors({ services }: ClusterSnapshot): string[] {
  const mirrors = [...services.values()].filter(
    ({ metadata: { labels = {} } }) =>
      labels[label.mirrored] === "true" && labels[label.mirroredGateway] === undefined,
  );
  return [...new Set(mirrors.map(({ metadata }) => metadata.namespace))].sort();
}

/** The most namespaces that are asked, and pods of each: one without a proxy is reason enough. */
const sample = { namespaces: 20, pods: 10 };

/**
 * For each namespace a pod that has no proxy, if there is one. Linkerd's injector labels the pods that
 * have one (`IsMeshed` in `pkg/k8s/labels.go` of linkerd2); who disables it for a pod has decided.
 */
async function unmeshedIn(
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

async function readLinkerd(
  kubernetes: Kubernetes,
  { linkerdNamespace: namespace }: HealthMesh,
): Promise<LinkerdReading> {
  const [links, anchors, issuer, config] = await Promise.all([
    read(() => linksIn(kubernetes)),
    read(() => readAnchors(kubernetes, namespace)),
    read(async () => (await readIssuer(kubernetes, namespace)).issuer),
    read(() => linkerdConfigOf(kubernetes, namespace)),
  ]);
  if ("why" in config) return { links, anchors, issuer, domains: config, version: config };
  const [domains, version] = [config.value?.domains, config.value?.version];
  return { links, anchors, issuer, domains: { value: domains }, version: { value: version } };
}

/** The addresses that the nodes of a cluster give to their pods. Never throws. */
export function readPodRanges(
  world: Clusters,
  mesh: HealthMesh,
  name: string,
): Promise<Read<readonly string[]>> {
  const access = mesh.clusters[name] ?? { context: name };
  return read(async () => {
    const nodes = await (await world.client(name, access)).list(resources.nodes);
    return [...new Set(nodes.flatMap(({ spec }) => spec?.podCIDRs ?? []))].sort();
  });
}

/** Undefined where the cluster does not serve Links. */
async function linksIn(kubernetes: Kubernetes): Promise<readonly LinkResource[] | undefined> {
  try {
    return await kubernetes.list(resources.links);
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "notFound") return undefined;
    throw error;
  }
}
