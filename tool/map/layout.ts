import { Graphviz } from "@hpcc-js/wasm-graphviz";
import type { Picture } from "./picture.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where everything is, in pixels from the upper left corner. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The size of a cluster's card: where there are many, it says less. */
  readonly card: { readonly width: number; readonly height: number };
  /** The centres of the clusters' cards, in the order of the picture. */
  readonly clusters: readonly Point[];
}

const margin = 24;
const inch = 72;

/**
 * Places the clusters by Graphviz, around circles: a hub has its spokes about it, and no card is on
 * the way between two others. It gets numbers, and no name that could mean something to it.
 */
export async function layoutOf({ clusters, links }: Picture): Promise<Layout> {
  const card = clusters.length > 8 ? { width: 144, height: 48 } : { width: 208, height: 72 };
  const index = new Map(clusters.map(({ name }, position) => [name, position]));
  const pairs = new Set(
    links.map(({ source, target }) =>
      [index.get(source) ?? 0, index.get(target) ?? 0].sort((a, b) => a - b).join(" -- n"),
    ),
  );
  // Where most are linked with most, any circle is as good, and one without them is made at once.
  const drawn =
    pairs.size > 60 ? clusters.map((_, at) => `${at} -- n${(at + 1) % clusters.length}`) : pairs;
  // Between few clusters there is room for what the links have to say.
  const distance = clusters.length > 8 ? 0.4 : clusters.length > 4 ? 1.8 : 3.2;
  const dot = `graph {
    graph [mindist=${distance}];
    node [shape=box, fixedsize=true, width=${card.width / inch}, height=${card.height / inch}];
    ${clusters.map((_, position) => `n${position}`).join("; ")};
    ${[...drawn].map((pair) => `n${pair}`).join("; ")}
  }`;
  const graphviz = await Graphviz.load();
  const plain = graphviz.layout(dot, "plain", "circo");
  const placed = new Map(
    [...plain.matchAll(/^node n(\d+) (\S+) (\S+)/gm)].map(([, position, x, y]) => [
      Number(position),
      { x: Number(x) * inch, y: -Number(y) * inch },
    ]),
  );
  const round = clusters.map((_, position) => placed.get(position) ?? { x: 0, y: 0 });
  // What the links of few clusters have to say is wide.
  const points = clusters.length > 4 ? round : round.map(({ x, y }) => ({ x: y * 1.3, y: x }));
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const left = Math.min(...xs) - card.width / 2 - margin;
  const top = Math.min(...ys) - card.height / 2 - margin;
  return {
    card,
    width: Math.round(Math.max(...xs) + card.width / 2 + margin - left),
    height: Math.round(Math.max(...ys) + card.height / 2 + margin - top),
    clusters: points.map(({ x, y }) => ({ x: Math.round(x - left), y: Math.round(y - top) })),
  };
}
