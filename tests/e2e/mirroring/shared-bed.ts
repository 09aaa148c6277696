import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { KubernetesError } from "../../../engine/kubernetes/client/errors.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { type Bed, startBed } from "../../../testbed/bed.ts";
import { removeLinkCrd } from "../../../testbed/links.ts";
import { inParallel } from "../../../engine/kubernetes/client/parallel.ts";
import { type Item, type Manifest, kinds } from "./objects.ts";

export const clusterNames = ["west", "east", "north"] as const;
export type ClusterName = (typeof clusterNames)[number];

/** The clusters of all end-to-end tests: pods run in west, mirrors appear in east. */
export interface SharedBed {
  readonly bed: Bed<ClusterName>;
  /** Clients of the tests' own, which outlive a cluster that is cut off. */
  readonly kube: Readonly<Record<ClusterName, Kubernetes>>;
}

let shared: Promise<SharedBed> | undefined;

// A hook of the root suite: it runs when the last test of the last file is through, failed or not.
after(async function () {
  this.timeout("1m");
  if (shared === undefined) return;
  const { bed, kube } = await shared;
  await Promise.all(Object.values(kube).map((client) => client.close()));
  await bed.stop();
});

/** The bed, started by the first file that needs it, without what earlier files have left in it. */
export async function emptyBed(): Promise<SharedBed> {
  shared ??= begin();
  const { bed, kube } = await shared;
  await Promise.all(
    clusterNames.map(async (name) => {
      await bed.clusters[name].restore();
      await removeLinkCrd(bed.clusters[name]);
      await empty(kube[name]);
    }),
  );
  return shared;
}

async function begin(): Promise<SharedBed> {
  const bed = await startBed({
    clusters: ["west", "east", "north"],
    runs: { west: "pods", east: "controllers", north: "controllers" },
  });
  const client = (context: ClusterName) =>
    connect({ context, kubeconfig: bed.kubeconfig }, context);
  const [west, east, north] = await Promise.all([client("west"), client("east"), client("north")]);
  return { bed, kube: { west, east, north } };
}

/**
 * Takes away what tests make, and leaves what every cluster has. Namespaces stay, since they take long to go: tests
 * that need one to be missing name their own. So do accounts, with which Kubernetes would delete tokens of a later
 * account of the same name.
 */
async function empty(kube: Kubernetes): Promise<void> {
  // Admission first, which may stand in the way of all else.
  for (const resource of Object.values(kinds)) {
    if (resource === kinds.Namespace || resource === kinds.ServiceAccount) continue;
    const all = await kube.list(resource).catch((error: unknown) => {
      // Older API servers lack some.
      if (error instanceof KubernetesError && error.kind === "notFound") return [];
      throw error;
    });
    await each(
      all.filter(({ metadata }) => !isOfEveryCluster(metadata)),
      (object) => removed(kube, resource, object.metadata),
    );
  }
}

function isOfEveryCluster({ namespace = "", name, labels = {} }: Manifest["metadata"]): boolean {
  return (
    namespace.startsWith("kube-") ||
    name.startsWith("system:") ||
    labels["kubernetes.io/bootstrapping"] !== undefined ||
    ["kubernetes", "default", "kube-root-ca.crt"].includes(name)
  );
}

async function removed(
  kube: Kubernetes,
  resource: (typeof kinds)[keyof typeof kinds],
  at: Manifest["metadata"],
): Promise<void> {
  await kube.remove(resource, at).catch((error: unknown) => {
    if (!isGone(error)) throw error;
  });
}

export function isGone(error: unknown): boolean {
  return error instanceof Error && "kind" in error && error.kind === "notFound";
}

/** Does all at once and fails with the first failure, after everything has ended. */
export async function each<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  for (const result of await inParallel(items, work)) {
    if (result.status === "rejected") throw result.reason;
  }
}

/** Creates objects, and first the namespaces they are in. */
export async function create(kube: Kubernetes, items: readonly Item[]): Promise<void> {
  await createNamespaces(
    kube,
    items.flatMap(({ object }) => object.metadata.namespace ?? []),
  );
  await each(items, ({ kind, object }) => kube.create(kinds[kind], object));
}

export async function createNamespaces(kube: Kubernetes, names: readonly string[]): Promise<void> {
  const there = new Set(
    (await kube.list(resources.namespaces)).map(({ metadata }) => metadata.name),
  );
  const missing = [...new Set(names)].filter((name) => !there.has(name));
  await each(missing, (name) => kube.create(resources.namespaces, { metadata: { name } }));
}
