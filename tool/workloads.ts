import {
  type HttpRoute,
  messageOf,
  type Node,
  plain,
  type Pod,
  type Reachable,
  resources,
  type Service,
} from "@linkerd-multicluster/engine/kubernetes";
import type { MeshConfig } from "../config/mesh.ts";
import { listedIn, withClusters } from "./clusters.ts";

/** Of processors in cores, and of memory in bytes. */
export interface Amount {
  readonly cpu: number;
  readonly memory: number;
}

/** An HTTPRoute between Services, which are `namespace/name`. */
export interface ServiceRoute {
  readonly route: string;
  readonly parents: readonly string[];
  readonly backends: readonly string[];
}

/** What a cluster runs, beyond what mirrors are decided by. What is absent could not be read. */
export interface Workloads {
  /** What is left of the nodes that take pods, beyond what pods have requested. */
  readonly free?: Amount;
  /** What the pods of each Service request together, by `namespace/name`. */
  readonly requested?: ReadonlyMap<string, Amount>;
  readonly routes?: readonly ServiceRoute[];
  /** What could not be read and why, in sentences. */
  readonly unread: readonly string[];
}

/** Reads the clusters of a config, and nothing that a run needs. Never throws for what a cluster does not tell. */
export async function readWorkloads(config: MeshConfig): Promise<ReadonlyMap<string, Workloads>> {
  return withClusters(config, async (clusters) => {
    const read = [...clusters].map(
      async ([name, cluster]) => [name, await readOne(cluster)] as const,
    );
    return new Map(await Promise.all(read));
  });
}

async function readOne(cluster: Reachable): Promise<Workloads> {
  if ("why" in cluster) return { unread: [plain(cluster.why)] };
  const unread: string[] = [];
  const lists = <T>(list: Promise<T[]>): Promise<T[] | undefined> =>
    list.catch((error: unknown) => {
      unread.push(plain(messageOf(error)));
      return undefined;
    });
  const [pods, nodes, services, routes] = await Promise.all([
    lists(cluster.list(resources.pods, { fieldSelector: notEnded })),
    lists(cluster.list(resources.nodes)),
    lists(cluster.list(resources.services)),
    lists(listedIn(cluster, resources.httpRoutes)),
  ]);
  return { ...workloadsOf({ pods, nodes, services, routes }), unread };
}

/** Pods that have ended hold no node's resources. */
const notEnded = "status.phase!=Succeeded,status.phase!=Failed";

/** What could be listed. */
interface Listed {
  readonly pods?: readonly Pod[] | undefined;
  readonly nodes?: readonly Node[] | undefined;
  readonly services?: readonly Service[] | undefined;
  readonly routes?: readonly HttpRoute[] | undefined;
}

/** Pure. */
export function workloadsOf({ pods, nodes, services, routes }: Listed): Omit<Workloads, "unread"> {
  return {
    ...(pods !== undefined && nodes !== undefined && { free: freeOf(nodes, pods) }),
    ...(pods !== undefined && services !== undefined && { requested: requestedOf(services, pods) }),
    ...(routes !== undefined && { routes: routes.map(routeOf) }),
  };
}

function freeOf(nodes: readonly Node[], pods: readonly Pod[]): Amount {
  const taken = new Map<string, Amount>();
  for (const pod of pods) {
    const node = pod.spec?.nodeName;
    if (node !== undefined) taken.set(node, sum(taken.get(node) ?? nothing, requestOf(pod)));
  }
  const left = nodes.filter(takesPods).map(({ metadata: { name }, status }) => {
    const { cpu, memory } = taken.get(name) ?? nothing;
    const has = amountOf(status?.allocatable);
    return { cpu: Math.max(0, has.cpu - cpu), memory: Math.max(0, has.memory - memory) };
  });
  return left.reduce(sum, nothing);
}

/** Whether any pod may be put there. Tolerations are not looked at. */
function takesPods({ spec = {}, status = {} }: Node): boolean {
  const { unschedulable = false, taints = [] } = spec;
  const isTainted = taints.some(({ effect }) => effect !== "PreferNoSchedule");
  const isReady = (status.conditions ?? []).some(
    (each) => each.type === "Ready" && each.status === "True",
  );
  return isReady && !unschedulable && !isTainted;
}

function requestedOf(
  services: readonly Service[],
  pods: readonly Pod[],
): ReadonlyMap<string, Amount> {
  const inNamespace = Map.groupBy(pods, ({ metadata }) => metadata.namespace);
  return new Map(
    services.flatMap(({ metadata: { namespace, name }, spec: { selector = {} } }) => {
      const wanted = Object.entries(selector);
      if (wanted.length === 0) return [];
      const own = (inNamespace.get(namespace) ?? []).filter(({ metadata: { labels = {} } }) =>
        wanted.every(([key, value]) => labels[key] === value),
      );
      return [[`${namespace}/${name}`, own.map(requestOf).reduce(sum, nothing)] as const];
    }),
  );
}

/**
 * What the scheduler counts for a pod: its own request, or that of its containers and of init containers that go on
 * running, or that of the largest other init container, where that is more; and its overhead.
 */
function requestOf({ spec = {} }: Pod): Amount {
  const { containers = [], initContainers = [], resources, overhead } = spec;
  const requests = (all: typeof containers) =>
    all.map((each) => amountOf(each.resources?.requests));
  const isSidecar = ({ restartPolicy }: (typeof containers)[number]) => restartPolicy === "Always";
  const running = [...requests(containers), ...requests(initContainers.filter(isSidecar))];
  const once = requests(initContainers.filter((each) => !isSidecar(each)));
  const ofContainers = once.reduce(larger, running.reduce(sum, nothing));
  const { cpu, memory } = resources?.requests ?? {};
  return sum(
    {
      cpu: cpu === undefined ? ofContainers.cpu : quantity(cpu),
      memory: memory === undefined ? ofContainers.memory : quantity(memory),
    },
    amountOf(overhead),
  );
}

const nothing: Amount = { cpu: 0, memory: 0 };

export function sum(one: Amount, other: Amount): Amount {
  return { cpu: one.cpu + other.cpu, memory: one.memory + other.memory };
}

function larger(one: Amount, other: Amount): Amount {
  return { cpu: Math.max(one.cpu, other.cpu), memory: Math.max(one.memory, other.memory) };
}

type Quantities = Readonly<Record<string, string | number>>;

function amountOf({ cpu = 0, memory = 0 }: Quantities = {}): Amount {
  return { cpu: quantity(cpu), memory: quantity(memory) };
}

const suffixes = new Map([
  ...["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].map(
    (suffix, index) => [suffix, 1000 ** (index - 3)] as const,
  ),
  ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map(
    (suffix, index) => [suffix, 1024 ** (index + 1)] as const,
  ),
]);

/** A quantity of Kubernetes: `500m`, `1.5Gi`, `2e3`. Zero if it is none: an API server has stored it. */
export function quantity(text: string | number): number {
  const [, number = "", suffix = ""] =
    /^(\d{0,18}\.?\d{0,18}(?:[eE][+-]?\d{1,2})?)([a-zA-Z]{0,2})$/.exec(String(text)) ?? [];
  return (Number(number) || 0) * (suffixes.get(suffix) ?? 0);
}

function routeOf({ metadata, spec = {} }: HttpRoute): ServiceRoute {
  const services = (refs: NonNullable<typeof spec.parentRefs>): string[] =>
    refs
      .filter(({ kind = "Service" }) => kind === "Service")
      .map(({ name, namespace = metadata.namespace }) => `${namespace}/${name}`);
  const { parentRefs = [], rules = [] } = spec;
  const backends = rules.flatMap(({ backendRefs = [] }) => services(backendRefs));
  return {
    route: `${metadata.namespace}/${metadata.name}`,
    parents: services(parentRefs.map((each) => ({ ...each, kind: each.kind ?? "Gateway" }))),
    backends: [...new Set(backends)],
  };
}
