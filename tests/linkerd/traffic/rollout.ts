/** What `kubectl rollout restart`, `kubectl rollout status` and `kubectl scale` do. */
import { type BedCluster, until } from "../../bed/bed.ts";
import { get, inNamespace } from "../../e2e/access-clusters.ts";
import { namespace as shop } from "./workloads.ts";

interface Workload {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly replicas?: number;
  };
}

const plurals = ["deployments", "statefulsets"] as const;

/** Seconds for a rollout. */
const patience = 180;

/** Restarts everything in a namespace, pod by pod, and waits until the last old one is gone. */
export async function restartAll(cluster: BedCluster, namespace = shop): Promise<void> {
  const annotations = { "kubectl.kubernetes.io/restartedAt": new Date().toISOString() };
  for (const plural of plurals)
    for (const { metadata } of await workloads(cluster, plural, namespace))
      await patch(cluster, `${pathOf(plural, namespace)}/${metadata.name}`, {
        template: { metadata: { annotations } },
      });
  await rolledOut(cluster, namespace);
}

export async function scale(
  cluster: BedCluster,
  statefulSet: string,
  replicas: number,
): Promise<void> {
  await patch(cluster, `${pathOf("statefulsets", shop)}/${statefulSet}`, { replicas });
  await rolledOut(cluster);
}

/** Waits until all that is wanted is ready, and nothing else is there. */
export async function rolledOut(cluster: BedCluster, namespace = shop): Promise<void> {
  await until(
    `what runs in ${namespace} of ${cluster.name}`,
    [],
    async () => {
      const lists = await Promise.all(plurals.map((each) => workloads(cluster, each, namespace)));
      const wanted = lists.flat();
      const path = inNamespace(namespace, "pods");
      const { items } = await get<{ readonly items: readonly unknown[] }>(cluster, path);
      const count = wanted.reduce((sum, { spec }) => sum + spec.replicas, 0);
      return (wanted.every(isComplete) && items.length === count) || undefined;
    },
    patience,
  );
}

function isComplete({ metadata, spec, status }: Workload): boolean {
  const counts = [status.updatedReplicas, status.readyReplicas, status.replicas];
  const isSeen = (status.observedGeneration ?? 0) >= metadata.generation;
  return isSeen && counts.every((count) => (count ?? 0) === spec.replicas);
}

async function workloads(
  cluster: BedCluster,
  plural: (typeof plurals)[number],
  namespace: string,
): Promise<readonly Workload[]> {
  const path = pathOf(plural, namespace);
  return (await get<{ readonly items: readonly Workload[] }>(cluster, path)).items;
}

async function patch(cluster: BedCluster, path: string, spec: object): Promise<void> {
  const { code, body } = await cluster.request("PATCH", path, { spec });
  if (code !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
}

const pathOf = (plural: string, namespace: string): string =>
  `/apis/apps/v1/namespaces/${namespace}/${plural}`;
