/** A full mesh, or one in which each source has a few targets, as far as the requests of a run depend on it. */
export interface MeshShape {
  readonly clusters: number;
  /** Of each source; in a full mesh, one less than there are clusters. */
  readonly targets: number;
  /** Of each cluster, all of them. */
  readonly namespaces: number;
  /** Of each cluster, its mirrors aside. */
  readonly services: number;
  /** Services of each cluster that are mirrored into each source that has it as a target. */
  readonly exported: number;
  /** Endpoints of each cluster, those of mirrors included. */
  readonly endpoints: number;
  /** Of each mirror: a flat one is a Service, one through a gateway is Endpoints too. */
  readonly objects: 1 | 2;
}

/** Objects on a page of a list; the engine's default (engine/kubernetes/connect.ts). */
const pageSize = 500;

/** Links and ServiceCIDRs are few. */
const shortLists = 2;

/** Mirrors in each cluster: every cluster is a source. */
export function mirrorsIn({ targets, exported }: MeshShape): number {
  return targets * exported;
}

/** Services that a reading of one cluster has: mirrors are Services too. */
export function servicesIn(shape: MeshShape): number {
  return shape.services + mirrorsIn(shape);
}

/** Requests that one reading of one cluster takes: five lists, page by page. */
function requestsOfReading(shape: MeshShape): number {
  const lengths = [shape.namespaces, servicesIn(shape), shape.endpoints];
  const pages = lengths.map((length) => Math.max(1, Math.ceil(length / pageSize)));
  return pages.reduce((sum, each) => sum + each, shortLists);
}

/** Which clusters are a stack's: all, or one among many stacks. */
export type StackShape = "one stack" | "a stack each";

/** How many stacks there are. */
export function stacksOf({ clusters }: MeshShape, shape: StackShape): number {
  return shape === "one stack" ? 1 : clusters;
}

/** Clusters that one stack reads: its sources and all their targets. */
function clustersRead({ clusters, targets }: MeshShape, shape: StackShape): number {
  return shape === "one stack" ? clusters : 1 + targets;
}

/**
 * Requests that read, of one phase of one stack with `manage: mirrors` in which nothing is to do: a preview, or `up`
 * without one. A stack that has `sources` also looks at its Lease.
 */
export function readsOfPhase(shape: MeshShape, stack: StackShape): number {
  const lease = stack === "one stack" ? 0 : 1;
  return clustersRead(shape, stack) * requestsOfReading(shape) + lease;
}

/** Requests that write, of the first `up` of one stack: each object is created, and so is the Lease. */
export function writesOfFirstUp(shape: MeshShape, stack: StackShape): number {
  const [sources, lease] = stack === "one stack" ? [shape.clusters, 0] : [1, 1];
  return sources * mirrorsIn(shape) * shape.objects + lease;
}

/** Requests that one API server answers while every stack has one phase with nothing to do. */
export function readsOfServer(shape: MeshShape, stack: StackShape): number {
  const once = requestsOfReading(shape);
  return stack === "one stack" ? once : (1 + shape.targets) * once + 1;
}

/** Services that the provider of one stack holds, those of all clusters that it reads. */
export function servicesRead(shape: MeshShape, stack: StackShape): number {
  return clustersRead(shape, stack) * servicesIn(shape);
}

/** What docs/model.md measured, in bytes and seconds; `service` is for each Service read, `mirror` for each of the stack's own. */
const measured = {
  memory: { fixed: 207e6, service: 7_000, mirror: 3_000 },
  processor: { fixed: 5, service: 0.000_2, mirror: 0.000_5 },
  state: { fixed: 9_000, service: 0, mirror: 91 },
  /** Of the backend, by one `up`: with all that it keeps by default, and gzip without backups. */
  growth: { fixed: 20_600, service: 0, mirror: 182 },
  frugalGrowth: { fixed: 2_800, service: 0, mirror: 7 },
} as const;

/** For one stack, extrapolated. */
export function estimateOf(
  quantity: keyof typeof measured,
  shape: MeshShape,
  stack: StackShape,
): number {
  const { fixed, service, mirror } = measured[quantity];
  const own = (shape.clusters / stacksOf(shape, stack)) * mirrorsIn(shape);
  return fixed + service * servicesRead(shape, stack) + mirror * own;
}
