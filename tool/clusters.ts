import {
  type Kubernetes,
  KubernetesError,
  openClusters,
  type Reachable,
  type Resource,
} from "@linkerd-multicluster/engine/kubernetes";
import type { MeshConfig } from "../config/mesh.ts";
import { accessesOf, touchedClusters } from "../config/share.ts";

/** The clusters of a stack by name, or why they can't be read. */
export type StackClusters = ReadonlyMap<string, Reachable>;

/**
 * Reads or writes the clusters of a stack, whose connections end with that.
 *
 * @throws Error with every mistake in how they are to be reached
 */
export async function withClusters<T>(
  config: MeshConfig,
  work: (clusters: StackClusters) => Promise<T>,
): Promise<T> {
  const { clusters, mistakes, close } = await openClusters(accessesOf(touchedClusters(config)));
  try {
    if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
    return await work(clusters);
  } finally {
    await close();
  }
}

/** The objects of a kind, in all namespaces without one; none where the cluster does not serve them. */
export async function listedIn<T>(
  cluster: Kubernetes,
  kind: Resource<T>,
  namespace?: string,
): Promise<T[]> {
  try {
    return await cluster.list(kind, namespace === undefined ? {} : { namespace });
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "notFound") return [];
    throw error;
  }
}
