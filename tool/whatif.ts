import { backendsOf, type Facts, type MirrorFact, undecidedIn } from "./facts.ts";
import { type Amount, sum, type Workloads } from "./workloads.ts";

/** Something that a mesh may have to do without. */
export type Loss =
  | { readonly kind: "cluster" | "gateway"; readonly cluster: string }
  | { readonly kind: "link"; readonly source: string; readonly target: string }
  | { readonly kind: "namespace"; readonly cluster: string; readonly namespace: string };

/** A mirror or federated Service that would lose backends. */
export interface Affected {
  readonly source: string;
  readonly mirror: string;
  readonly kind: MirrorFact["kind"];
  /** `nothing`: its clients are left without; `fewer`: it goes on with other clusters' members. */
  readonly left: "nothing" | "fewer";
  /** The clusters whose Services go on answering. */
  readonly by: readonly string[];
  /** Of these, the ones that have no ready pod now. */
  readonly notReady: readonly string[];
  /** The Services to which HTTPRoutes of its cluster send requests when it has no endpoint. */
  readonly routedTo: readonly string[];
}

/** A Service of StatefulSets in several clusters of which no majority is left, as seen from one cluster. */
export interface WithoutQuorum {
  readonly source: string;
  readonly service: string;
  readonly pods: number;
  readonly left: number;
}

/** What a cluster has to bear when it answers for another. */
export interface Room {
  readonly cluster: string;
  /** What its nodes have left. */
  readonly free: Amount;
  /** Its share of what the pods that are lost request. */
  readonly wanted: Amount;
  readonly isEnough: boolean;
}

/** `linkerd-clusters whatif --output json`. */
export interface WhatIf {
  readonly version: 1;
  readonly stack: string;
  readonly loss: Loss;
  readonly affected: readonly Affected[];
  /** Mirrors that lose nothing, by the cluster that they are in. */
  readonly unaffected: Readonly<Record<string, number>>;
  readonly withoutQuorum: readonly WithoutQuorum[];
  /** Of the clusters that go on answering for what is lost, as far as that is known. */
  readonly room: readonly Room[];
  readonly notKnown: readonly string[];
  /** Why nothing could be decided about links or mirrors: what is there is counted as it is. */
  readonly undecided?: readonly string[];
}

/**
 * What `--lose` names: `west` or `cluster/west`, `link/east/west` (source, target), `gateway/west`,
 * `namespace/west/shop`.
 *
 * @throws Error with a sentence
 */
export function lossIn(text: string, { clusters, links }: Facts): Loss {
  const [kind = "", first = "", second = "", ...more] = text.includes("/")
    ? text.split("/")
    : ["cluster", text];
  const isCluster = clusters.some(({ name }) => name === first);
  if (more.length === 0) {
    if ((kind === "cluster" || kind === "gateway") && second === "" && isCluster)
      return { kind, cluster: first };
    if (kind === "namespace" && second !== "" && isCluster)
      return { kind, cluster: first, namespace: second };
    if (kind === "link" && links.some((each) => each.source === first && each.target === second))
      return { kind, source: first, target: second };
  }
  throw new Error(
    `--lose is ${JSON.stringify(text)}; it must be west, gateway/west, link/east/west (source/target) or namespace/west/shop, of clusters and links of the stack (${clusters.map(({ name }) => name).join(", ")}).`,
  );
}

/**
 * Which mirrors would lose all or some of what they lead to. Pure.
 *
 * @param workloads of the clusters that were asked; without them routes and capacity are not known
 */
export function whatIf(
  facts: Facts,
  loss: Loss,
  workloads: ReadonlyMap<string, Workloads> = new Map(),
): WhatIf {
  const ready = readyIn(facts);
  const undecided = undecidedIn(facts);
  const affected: Affected[] = [];
  const shared: SharedService[] = [];
  const unaffected: Record<string, number> = {};
  for (const mirror of facts.mirrors) {
    const { source, kind, service = "" } = mirror;
    if (!isThere(mirror) || isGone(loss, source)) continue;
    const backends = backendsOf(mirror).map(({ cluster }) => cluster);
    const by = backends.filter((cluster) => !isLost(loss, mirror, cluster));
    if (by.length === backends.length) {
      unaffected[source] = (unaffected[source] ?? 0) + 1;
      continue;
    }
    const notReady = by.filter((cluster) => ready.get(`${cluster}/${service}`) === 0);
    const left = by.length === notReady.length ? "nothing" : "fewer";
    affected.push({ source, mirror: mirror.mirror, kind, left, by, notReady, routedTo: [] });
    if (left === "fewer")
      shared.push({
        service,
        lost: backends.filter((each) => !by.includes(each)),
        by: by.filter((each) => !notReady.includes(each)),
      });
  }
  return {
    ...{ version: 1, stack: facts.stack, loss },
    ...{ affected: withRoutes(affected, workloads), unaffected },
    withoutQuorum: withoutQuorum(facts, loss, ready),
    room: roomFor(loss, shared, workloads),
    notKnown: notKnown(loss, workloads),
    ...(undecided.length > 0 && { undecided }),
  };
}

/** Ready addresses of Services, by `cluster/namespace/name`. */
function readyIn({ services }: Facts): ReadonlyMap<string, number | undefined> {
  return new Map(
    services.map(({ cluster, service, ready }) => [`${cluster}/${service}`, ready] as const),
  );
}

function isThere({ verdict }: MirrorFact): boolean {
  return verdict !== "create" && verdict !== "delete";
}

/** Of a cluster that is lost there are no clients either. */
function isGone(loss: Loss, cluster: string): boolean {
  return loss.kind === "cluster" && loss.cluster === cluster;
}

/**
 * Linkerd's proxies choose among a route's backends those that can be reached (`RandomAvailable` in
 * `linkerd/distribute` of linkerd2-proxy).
 */
function withRoutes(
  affected: readonly Affected[],
  workloads: ReadonlyMap<string, Workloads>,
): Affected[] {
  const without = new Set(
    affected.flatMap(({ left, source, mirror }) =>
      left === "nothing" ? [`${source}/${mirror}`] : [],
    ),
  );
  return affected.map((each) => {
    const { source, mirror } = each;
    const others = (workloads.get(source)?.routes ?? [])
      .filter(({ parents, backends }) => parents.includes(mirror) || backends.includes(mirror))
      .flatMap(({ backends }) => backends)
      .filter((backend) => backend !== mirror && !without.has(`${source}/${backend}`));
    return { ...each, routedTo: [...new Set(others)] };
  });
}

/** Of the pods of a Service in several clusters, those that a source would no longer reach. */
function withoutQuorum(
  { mirrors }: Facts,
  loss: Loss,
  ready: ReadonlyMap<string, number | undefined>,
): WithoutQuorum[] {
  const pods = mirrors.filter(
    (each) => each.kind === "endpoint" && isThere(each) && !isGone(loss, each.source),
  );
  const groups = Map.groupBy(pods, ({ source, service = "" }) => `${source} ${service}`);
  return [...groups.values()].flatMap((group) => {
    const [{ source, service = "" } = { source: "" }] = group;
    const local = ready.get(`${source}/${service}`) ?? 0;
    const lost = group.filter((each) => isLost(loss, each, each.part)).length;
    const all = group.length + local;
    const left = all - lost;
    // With none left, its headless mirror says so.
    return lost > 0 && left > 0 && left * 2 <= all ? [{ source, service, pods: all, left }] : [];
  });
}

/** A federated Service that goes on with fewer members. */
interface SharedService {
  readonly service: string;
  readonly lost: readonly string[];
  /** The clusters whose pods answer then. */
  readonly by: readonly string[];
}

/** Whether pods are lost, and not only ways to them. */
function losesPods({ kind }: Loss): boolean {
  return kind === "cluster" || kind === "namespace";
}

function roomFor(
  loss: Loss,
  shared: readonly SharedService[],
  workloads: ReadonlyMap<string, Workloads>,
): Room[] {
  if (!losesPods(loss)) return [];
  const wanted = new Map<string, Amount>();
  // Several clusters see the same Service, whose clusters together are those that answer.
  for (const [service, seen] of Map.groupBy(shared, (each) => each.service)) {
    const by = new Set(seen.flatMap((each) => each.by));
    for (const cluster of new Set(seen.flatMap((each) => each.lost))) {
      const request = workloads.get(cluster)?.requested?.get(service);
      if (request === undefined) continue;
      const share = { cpu: request.cpu / by.size, memory: request.memory / by.size };
      for (const each of by)
        wanted.set(each, sum(wanted.get(each) ?? { cpu: 0, memory: 0 }, share));
    }
  }
  return [...wanted].flatMap(([cluster, want]) => {
    const free = workloads.get(cluster)?.free;
    if (free === undefined) return [];
    const isEnough = want.cpu <= free.cpu && want.memory <= free.memory;
    return [{ cluster, free, wanted: want, isEnough }];
  });
}

function notKnown(loss: Loss, workloads: ReadonlyMap<string, Workloads>): string[] {
  const asked = [...workloads].flatMap(([cluster, { unread }]) =>
    unread.map((why) => `of ${cluster}: ${why}`),
  );
  return [
    "traffic: which mirrors are called at all, and how often",
    ...(workloads.size === 0 ? ["routes and capacity: clusters were not asked"] : asked),
    ...(losesPods(loss) ? [] : ["capacity: no pod is lost, and more may be asked of others"]),
  ];
}

/** Whether a mirror's way to one cluster is lost. */
function isLost(loss: Loss, { source, kind, mirror }: MirrorFact, cluster: string): boolean {
  switch (loss.kind) {
    case "cluster":
      return cluster === loss.cluster;
    case "link":
      return source === loss.source && cluster === loss.target;
    case "gateway":
      // Others lead from pod to pod.
      return cluster === loss.cluster && ["gateway", "headless", "endpoint"].includes(kind);
    case "namespace":
      return cluster === loss.cluster && mirror.startsWith(`${loss.namespace}/`);
  }
}
