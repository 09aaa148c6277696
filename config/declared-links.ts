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

/** A link that the config asks for: listed, or made by the topology. */
export interface DeclaredLink extends Pair {
  /** Its entry in the list of links; undefined for one that the topology makes. */
  readonly entry: Reading<LinkInput> | undefined;
}

/** Listed links first, in their order; one that is listed replaces that of the topology. */
export function declaredLinks({ stack, clusters, links = [] }: Readings): DeclaredLink[] {
  const listed = links.flatMap((entry) => {
    const { source, target } = entry.values;
    return source === undefined || target === undefined ? [] : [{ source, target, entry }];
  });
  const made = pairsOf(stack.values.topology, [...(clusters?.keys() ?? [])])
    .filter((pair) => !listed.some((link) => samePair(link, pair)))
    .map((pair) => ({ ...pair, entry: undefined }));
  return [...listed, ...made];
}

/**
 * The links that a topology stands for, in cluster order: for `mesh` each cluster to each other,
 * for a hub the hub to every other cluster and back.
 */
function pairsOf(topology: StackInput["topology"], clusters: readonly string[]): Pair[] {
  if (topology === "none") return [];
  const linked = ({ source, target }: Pair): boolean =>
    source !== target &&
    (topology === "mesh" || source === topology.hub || target === topology.hub);
  return clusters
    .flatMap((source) => clusters.map((target) => ({ source, target })))
    .filter(linked);
}

/** Whether the links are all that the config declares, and none is missing for a mistake. */
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
 * The gateway of a link: the nearest one that is set wins as a whole. The link's own, then that of
 * its target, a fact about that one cluster, then that of linkDefaults. Has no value where the
 * nearest one, or the target, is itself a mistake.
 */
export function gatewayOf(
  { entry, target: name }: DeclaredLink,
  { clusters, linkDefaults }: Readings,
): { readonly value?: GatewayInput; readonly from?: Reading<unknown> } {
  const target = clusters?.get(name);
  for (const from of [entry, target, linkDefaults]) {
    if (from?.wrong.has("gateway")) return {};
    const value = gatewayForLinks(from?.values.gateway);
    if (from !== undefined && value !== undefined) return { value, from };
    if (from === entry && target === undefined) return {};
  }
  return { value: {} };
}

/** The part of a cluster's gateway that concerns links: `enabled` is about the cluster alone. */
export function gatewayForLinks(
  input: GatewayInput | ClusterInput["gateway"],
): GatewayInput | undefined {
  if (input === undefined || input === false || !("enabled" in input)) return input;
  const { enabled, ...said } = input;
  return Object.keys(said).length === 0 ? undefined : said;
}
