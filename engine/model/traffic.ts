import { omitUndefined } from "../base/omit-undefined.ts";
import type { ObjectKey } from "../kubernetes/objects/objects.ts";

/** Lists the clusters that serve a Service's requests, the preferred one first; `local` is the source itself. */
export type Failover = Readonly<Record<ObjectKey, readonly string[]>>;

/** Weights the clusters among which a Service's requests are split; `local` is the source itself. */
export type Split = Readonly<Record<ObjectKey, Readonly<Record<string, number>>>>;

/** The routing of requests out of one source, as the config declares it. */
export interface Traffic {
  readonly failover?: Failover;
  readonly traffic?: Split;
  /** No HTTPRoute or federated Service sends requests to these clusters, the source among them. */
  readonly drained?: readonly string[];
}

/** The traffic of the sources of a mesh. Each field has only the sources that have one. */
export interface MeshTraffic {
  readonly failover?: Readonly<Record<string, Failover>>;
  readonly traffic?: Readonly<Record<string, Split>>;
  readonly drained?: readonly string[];
}

/** Leaves out what no source has, so that the stored mesh of a stack without traffic stays as it is. */
export function meshTraffic(
  sources: readonly (Traffic & { readonly source: string })[],
  drained: Iterable<string>,
): MeshTraffic {
  const bySource = <T extends object>(of: (traffic: Traffic) => T | undefined) => {
    const found = sources.flatMap((each) => {
      const value = of(each);
      return value === undefined || Object.keys(value).length === 0
        ? []
        : [[each.source, value] as const];
    });
    return found.length === 0 ? undefined : Object.fromEntries(found);
  };
  const names = [...new Set(drained)].sort();
  return omitUndefined({
    failover: bySource(({ failover }) => failover),
    traffic: bySource(({ traffic }) => traffic),
    drained: names.length === 0 ? undefined : names,
  });
}

export const local = "local";

/** Without a weight, the leg's place decides. */
export interface Leg {
  readonly cluster: string;
  readonly weight?: number | undefined;
}

export interface Routing {
  /** The config has it under this key. */
  readonly setting: "failover" | "traffic";
  readonly legs: readonly Leg[];
}

/** Returns how the requests of each Service are routed that has a key in the config. */
export function routings({ failover = {}, traffic = {} }: Traffic): Map<ObjectKey, Routing> {
  const chains = Object.entries(failover).map(([key, clusters]): [ObjectKey, Routing] => {
    const legs = clusters.map((cluster) => ({ cluster }));
    return [key as ObjectKey, { setting: "failover", legs }];
  });
  const splits = Object.entries(traffic).map(([key, weights]): [ObjectKey, Routing] => {
    const legs = Object.entries(weights).map(([cluster, weight]) => ({ cluster, weight }));
    return [key as ObjectKey, { setting: "traffic", legs }];
  });
  return new Map([...chains, ...splits]);
}

/** Linkerd allows no greater weight. */
export const mostWeight = 1_000_000;

/** With more clusters in a chain, too many requests would leave the first one while it is healthy. */
export const mostInChain = 4;

/** An HTTPRoute has no more backends. */
export const mostInSplit = 16;

/** Between neighbours, the ratio is the same. */
export function chainWeight(index: number, count: number): number {
  const last = count - 1;
  return last === 0 ? 1 : Math.round(mostWeight ** ((last - index) / last));
}
