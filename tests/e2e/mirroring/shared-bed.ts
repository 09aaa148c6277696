import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { KubernetesError } from "../../../engine/kubernetes/client/errors.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type { ObjectKey, StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import { type Bed, startBed } from "../../bed/bed.ts";
import * as testbed from "../../bed/gateway.ts";
import { removeLinkCrd } from "../../bed/links.ts";
import { type Item, kinds, type Manifest, nameOf } from "./objects.ts";

export const clusterNames = ["west", "east", "north"] as const;
export type ClusterName = (typeof clusterNames)[number];

/** The clusters of all end-to-end tests. Pods run in west, and mirrors appear in east. */
export interface SharedBed {
  readonly bed: Bed<ClusterName>;
  /** Clients of the tests, which survive that a cluster is cut off. */
  readonly kube: Readonly<Record<ClusterName, Kubernetes>>;
}

let shared: Promise<SharedBed> | undefined;

// This hook of the root suite runs after the last test of all files, even if one failed.
after(async function () {
  this.timeout("1m");
  if (shared === undefined) return;
  const { bed, kube } = await shared;
  await Promise.all(Object.values(kube).map((client) => client.close()));
  await bed.stop();
});

/** Returns the bed without what earlier files have left in it, and starts it for the first file. */
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

/** Returns the empty bed with a gateway in west, and these namespaces in east. */
export async function bedWithGateway(...namespaces: readonly string[]): Promise<SharedBed> {
  const shared = await emptyBed();
  await installGateway(shared.kube.west);
  await createNamespaces(shared.kube.east, namespaces);
  return shared;
}

/** Installs a gateway with the values of Linkerd's own tests. */
export async function installGateway(kube: Kubernetes): Promise<void> {
  await createNamespaces(kube, [testbed.gatewayName.namespace]);
  const gateway = { ip: "192.0.2.127", port: 888, identity: "gateway-identity" };
  await testbed.installGateway(kube, gateway);
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

/** These stay: namespaces take long to delete, and the tokens of later accounts would no longer work. */
const lasting: readonly string[] = ["Namespace", "ServiceAccount"];

/** Deletes what tests create, except what stays. */
async function empty(kube: Kubernetes): Promise<void> {
  // Admission policies come first, since they may prevent other deletions.
  for (const resource of Object.values(kinds)) {
    if (lasting.includes(resource.kind)) continue;
    // Older API servers lack some kinds.
    const all = await kube.list(resource).catch(unlessGone([]));
    await each(
      all.filter(({ metadata }) => !isOfEveryCluster(metadata)),
      ({ metadata }) => kube.remove(resource, metadata).catch(unlessGone(undefined)),
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

/** Handles an error by returning a value if the object doesn't exist. */
function unlessGone<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof KubernetesError && error.kind === "notFound") return value;
    throw error;
  };
}

/** Does all at once, waits for everything to end, and throws the first error. */
export async function each<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  for (const result of await Promise.allSettled(items.map(work))) {
    if (result.status === "rejected") throw result.reason;
  }
}

/** Creates objects and their namespaces. Kinds that stay may exist from an earlier file. */
export async function create(kube: Kubernetes, items: readonly Item[]): Promise<void> {
  const make = async ({ kind, ...object }: Item) => {
    const resource = kinds[kind];
    const isThere = lasting.includes(kind) && (await kube.find(resource, object.metadata));
    if (!isThere) await kube.create(resource, object);
  };
  await each(
    items.filter(({ kind }) => kind === "Namespace"),
    make,
  );
  const others = items.filter(({ kind }) => kind !== "Namespace");
  await createNamespaces(
    kube,
    others.flatMap(({ metadata }) => metadata.namespace ?? []),
  );
  await each(others, make);
}

export async function createNamespaces(kube: Kubernetes, names: readonly string[]): Promise<void> {
  const there = new Set((await kube.list(kinds.Namespace)).map(({ metadata }) => metadata.name));
  const missing = [...new Set(names)].filter((name) => !there.has(name));
  await each(missing, (name) => kube.create(kinds.Namespace, { metadata: { name } }));
}

/** Applies a merge patch: null removes a key, and a list is replaced. */
export function patch(
  kube: Kubernetes,
  kind: keyof typeof kinds,
  key: ObjectKey,
  change: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  return kube.patch(kinds[kind], nameOf(key), change);
}

export function relabel(
  kube: Kubernetes,
  key: ObjectKey,
  labels: StringMap | Readonly<Record<string, null>>,
): Promise<unknown> {
  return patch(kube, "Service", key, { metadata: { labels } });
}

export function remove(kube: Kubernetes, kind: keyof typeof kinds, key: ObjectKey): Promise<void> {
  return kube.remove(kinds[kind], nameOf(key));
}
