import { readAnchors, readIssuer } from "../../trust/observe.ts";
import { domainsOf } from "../../credentials/linkerd-config.ts";
import { KubernetesError } from "../../kubernetes/errors.ts";
import type { Link } from "../../kubernetes/link-resource.ts";
import type { Kubernetes } from "../../kubernetes/interface.ts";
import type { Clusters } from "../../mirroring/observe/clusters.ts";
import type { HealthMesh } from "../mesh.ts";
import { type ClusterReading, type LinkerdReading, type Read, read } from "../view.ts";
import { resources } from "../../kubernetes/resources.ts";

/** Everything that is read of one cluster by itself. Never throws. */
export async function readCluster(
  world: Clusters,
  mesh: HealthMesh,
  name: string,
): Promise<ClusterReading> {
  const access = mesh.clusters[name] ?? { context: name };
  const snapshot = await read(() => world.snapshot(name, access));
  if ("why" in snapshot) return { snapshot };
  const kubernetes = await world.client(name, access);
  const isSource = mesh.links.some(({ link }) => link.source === name);
  const [controllers, linkerd] = await Promise.all([
    isSource ? read(() => world.controllers(name, access)) : undefined,
    mesh.manage === "mirrors" ? undefined : readLinkerd(kubernetes, mesh),
  ]);
  return {
    snapshot,
    ...(controllers !== undefined && { controllers }),
    ...(linkerd !== undefined && { linkerd }),
  };
}

async function readLinkerd(
  kubernetes: Kubernetes,
  { linkerdNamespace: namespace }: HealthMesh,
): Promise<LinkerdReading> {
  const [links, anchors, issuer, domains] = await Promise.all([
    read(() => linksIn(kubernetes)),
    read(() => readAnchors(kubernetes, namespace)),
    read(async () => (await readIssuer(kubernetes, namespace)).chain),
    read(() => domainsOf(kubernetes, namespace)),
  ]);
  return { links, anchors, issuer, domains };
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
async function linksIn(kubernetes: Kubernetes): Promise<readonly Link[] | undefined> {
  try {
    return await kubernetes.list(resources.links);
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "notFound") return undefined;
    throw error;
  }
}
