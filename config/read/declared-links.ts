import type {
  ClusterInput,
  LinkDefaultsInput,
  LinkInput,
  Reading,
  Readings,
  StackInput,
} from "./read.ts";

interface Pair {
  readonly source: string;
  readonly target: string;
}

export interface DeclaredLink extends Pair {
  /** A link of the topology has no entry in the list. */
  readonly entry: Reading<LinkInput> | undefined;
  /** Within a region, the network is flat. Without regions, this is undefined. */
  readonly sameRegion?: boolean;
}

/** Returns the listed links in their order, then those of the topology that no listed one replaces. */
export function declaredLinks({ stack, clusters, links = [] }: Readings): DeclaredLink[] {
  const listed = links.flatMap((entry) => {
    const { source, target } = entry.values;
    return source === undefined || target === undefined ? [] : [{ source, target, entry }];
  });
  const made = pairsOf(stack.values.topology, [...(clusters?.keys() ?? [])])
    .filter((pair) => !listed.some((link) => samePair(link, pair)))
    .map((pair) => ({ ...pair, entry: undefined }));
  const regions = regionsOf(stack.values.topology);
  return [...listed, ...made].map((link) =>
    regions.length === 0
      ? link
      : { ...link, sameRegion: regions.some((names) => areIn(names, link)) },
  );
}

const areIn = (names: readonly string[], { source, target }: Pair): boolean =>
  names.includes(source) && names.includes(target);

function regionsOf(topology: StackInput["topology"]): readonly (readonly string[])[] {
  return typeof topology === "object" ? Object.values(topology.regions ?? {}) : [];
}

/** Links each cluster to each other for `mesh` and regions, and the hub with every other cluster in both directions. */
function pairsOf(topology: StackInput["topology"], clusters: readonly string[]): Pair[] {
  if (topology === "none") return [];
  const linked = ({ source, target }: Pair): boolean =>
    source !== target &&
    (topology === "mesh" || topology.hub === undefined || [source, target].includes(topology.hub));
  return clusters
    .flatMap((source) => clusters.map((target) => ({ source, target })))
    .filter(linked);
}

/** Whether these are all links of the config, and none is missing because of a mistake. */
export function areComplete(declared: readonly DeclaredLink[], readings: Readings): boolean {
  const listed = declared.filter(({ entry }) => entry !== undefined);
  return (
    readings.clusters !== undefined &&
    listed.length === readings.links?.length &&
    !readings.stack.wrong.has("topology")
  );
}

export function samePair(one: Pair, other: Pair): boolean {
  return one.source === other.source && one.target === other.target;
}

export type GatewayInput = NonNullable<LinkDefaultsInput["gateway"]>;

/**
 * Returns the gateway of a link, and in `from` the map that sets it. The nearest setting applies as a whole: the link's
 * own, then that of a region, then its target's, then that of linkDefaults. It is undefined if that setting, or the
 * target, is a mistake.
 */
export function gatewayOf(
  { entry, target: name, sameRegion = false }: DeclaredLink,
  { clusters, linkDefaults }: Readings,
): { readonly value?: GatewayInput; readonly from?: Reading<unknown> } {
  const target = clusters?.get(name);
  for (const from of [entry, target, linkDefaults]) {
    if (from?.wrong.has("gateway")) return {};
    const value = gatewayForLinks(from?.values.gateway);
    if (from !== undefined && value !== undefined) return { value, from };
    if (from === entry && target === undefined) return {};
    if (from === entry && sameRegion) return { value: false };
  }
  return { value: {} };
}

/** Leaves out `enabled`, which concerns the cluster alone. */
export function gatewayForLinks(
  input: GatewayInput | ClusterInput["gateway"],
): GatewayInput | undefined {
  if (input === undefined || input === false || !("enabled" in input)) return input;
  const { enabled, ...said } = input;
  return Object.keys(said).length === 0 ? undefined : said;
}
