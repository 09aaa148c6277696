import type { Readings, Reading } from "./read.ts";
import type { LinkDefaults, LinkInput } from "./schema.ts";
import { type Pair, pairsOf } from "./topology.ts";

/** A link that the config asks for: listed, or made by the topology. */
export interface WantedLink extends Pair {
  /** What the config says of this link alone; undefined for one that the topology makes. */
  readonly own: Reading<LinkInput> | undefined;
}

/** Listed links first, in their order; one that is listed replaces that of the topology. */
export function wantedLinks({ stack, clusters, links = [] }: Readings): WantedLink[] {
  const listed = links.flatMap((own) => {
    const { source, target } = own.values;
    return source === undefined || target === undefined ? [] : [{ source, target, own }];
  });
  const made = pairsOf(stack.values.topology, [...(clusters?.keys() ?? [])])
    .filter((pair) => !listed.some((link) => samePair(link, pair)))
    .map((pair) => ({ ...pair, own: undefined }));
  return [...listed, ...made];
}

/** Whether the links are all that the config means, and none is missing for a mistake. */
export function areComplete(wanted: readonly WantedLink[], readings: Readings): boolean {
  const listed = wanted.filter(({ own }) => own !== undefined);
  return (
    readings.clusters !== undefined &&
    listed.length === readings.links?.length &&
    !readings.stack.wrong.has("topology")
  );
}

export function samePair(one: Pair, other: Pair): boolean {
  return one.source === other.source && one.target === other.target;
}

type GatewayChoice = NonNullable<LinkDefaults["gateway"]>;

export type EffectiveGateway =
  | { readonly known: true; readonly value: GatewayChoice; readonly from?: Reading<unknown> }
  | { readonly known: false };

/**
 * The gateway of a link: the nearest word on it wins as a whole. The link's own, then that of its
 * target, a fact about that one cluster, then that of linkDefaults. Not known where the nearest
 * word, or the target, is itself a mistake.
 */
export function gatewayOf(
  link: WantedLink,
  { clusters, linkDefaults }: Readings,
): EffectiveGateway {
  const target = clusters?.get(link.target);
  for (const from of [link.own, target, linkDefaults]) {
    if (from?.wrong.has("gateway")) return { known: false };
    const value = from?.values.gateway;
    if (from !== undefined && value !== undefined) return { known: true, value, from };
    if (from === link.own && target === undefined) return { known: false };
  }
  return { known: true, value: {} };
}
