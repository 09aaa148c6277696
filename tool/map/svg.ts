import type { Layout, Point } from "./layout.ts";
import {
  changesOf,
  clusterLine,
  type ClusterPicture,
  counted,
  healthWords,
  type HealthPicture,
  linkLine,
  type LinkPicture,
  type Picture,
} from "./picture.ts";

/**
 * The graph of a mesh as SVG. Each cluster and each link is an anchor that the page's script
 * understands, with a title for those who see no picture.
 */
export function svgOf(picture: Picture, layout: Layout, style = ""): string {
  const { clusters, links } = picture;
  const places = new Map(clusters.map(({ name }, index) => [name, layout.clusters[index]]));
  const pairs = new Set(links.map(({ source, target }) => `${source} ${target}`));
  const drawn = links.flatMap((link, index) => {
    const from = places.get(link.source);
    const to = places.get(link.target);
    const isTwin = pairs.has(`${link.target} ${link.source}`);
    return from === undefined || to === undefined ? [] : [{ link, index, from, to, isTwin }];
  });
  const mirrorsIn = (name: string) =>
    links.reduce((sum, { source, mirrors }) => sum + (source === name ? mirrors.length : 0), 0);
  const { width, height, card } = layout;
  const look = links.length > mostLabels ? "dense" : "sparse";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" class="${look}" role="group" aria-label="Clusters and links of ${xml(picture.stack)}">`,
    style === "" ? "" : `<style>${style}</style>`,
    `<defs>${(["ok", "warning", "error", "unknown"] as const).map(arrowHead).join("")}</defs>`,
    ...drawn.map((each) => linkMarkup(each, card)),
    ...clusters.map((cluster, index) =>
      clusterMarkup(
        cluster,
        index,
        layout.clusters[index] ?? { x: 0, y: 0 },
        layout,
        mirrorsIn(cluster.name),
      ),
    ),
    "</svg>",
  ].join("\n");
}

/** Where there are more links, a link that is in order shows its number only when it is looked at. */
const mostLabels = 30;

/** Text as XML holds it, in an attribute too. */
export function xml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function arrowHead(health: HealthPicture): string {
  return `<marker id="to-${health}" class="${health}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="head" d="M0 1 10 5 0 9z"/></marker>`;
}

/** The same shapes as in the page's style: state is never told by colour alone. */
export function shape(health: HealthPicture, { x, y }: Point): string {
  const drawings: Readonly<Record<HealthPicture, string>> = {
    ok: `<circle class="mark" cx="${x}" cy="${y}" r="5"/>`,
    warning: `<path class="mark" d="M${x} ${y - 6} ${x + 6} ${y + 5} ${x - 6} ${y + 5}z"/>`,
    error: `<path class="mark" d="M${x - 5} ${y - 5}h10v10h-10z"/>`,
    unknown: `<circle class="mark hollow" cx="${x}" cy="${y}" r="4"/>`,
  };
  return drawings[health];
}

function clusterMarkup(
  cluster: ClusterPicture,
  index: number,
  { x, y }: Point,
  { card }: Layout,
  mirrors: number,
): string {
  const { name, health, linkerd, anchors } = cluster;
  const left = x - card.width / 2;
  const top = y - card.height / 2;
  const isLarge = card.height > 60;
  const days = Math.min(...anchors.map((anchor) => anchor.days));
  const facts = [
    ...(linkerd === undefined ? [] : [linkerd]),
    ...(anchors.length === 0 ? [] : [`anchors ${days} d`]),
    ...(linkerd === undefined && anchors.length === 0 ? [counted(mirrors, "mirror")] : []),
  ].join(" · ");
  return [
    `<a class="cluster ${health}" href="#cluster/${index}">`,
    `<title>${xml(clusterLine(cluster))}</title>`,
    `<rect x="${left}" y="${top}" width="${card.width}" height="${card.height}" rx="10"/>`,
    `<text aria-hidden="true" class="name" x="${left + 14}" y="${top + (isLarge ? 25 : 20)}">${xml(cut(name, isLarge ? 22 : 15))}</text>`,
    shape(health, { x: left + 20, y: top + card.height - (isLarge ? 32 : 14) }),
    `<text aria-hidden="true" x="${left + 32}" y="${top + card.height - (isLarge ? 28 : 10)}">${healthWords[health]}</text>`,
    isLarge
      ? `<text aria-hidden="true" class="faint" x="${left + 14}" y="${top + 62}">${xml(cut(facts, 30))}</text>`
      : "",
    "</a>",
  ].join("");
}

interface DrawnLink {
  readonly link: LinkPicture;
  readonly index: number;
  readonly from: Point;
  readonly to: Point;
  /** Another leads the other way. */
  readonly isTwin: boolean;
}

/** How far two links between the same clusters bend away from each other. */
const bend = 40;

function linkMarkup({ link, index, from, to, isTwin }: DrawnLink, card: Layout["card"]): string {
  const { health, kind, mirrors, notMirrored } = link;
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const aside = isTwin ? bend : 0;
  const control = {
    x: (from.x + to.x) / 2 - ((to.y - from.y) / length) * aside,
    y: (from.y + to.y) / 2 + ((to.x - from.x) / length) * aside,
  };
  const start = border(from, control, card, 2);
  const end = border(to, control, card, 6);
  const label = along(start, control, end, isTwin ? 0.36 : 0.5);
  const changes = changesOf(mirrors);
  const text = [
    mirrors.length.toLocaleString("en"),
    ...(notMirrored.length === 0 ? [] : [`${notMirrored.length.toLocaleString("en")} not`]),
    ...(changes === "" ? [] : [changes]),
  ].join(" · ");
  const width = Math.round(34 + text.length * 6.6);
  const left = Math.round(label.x - width / 2);
  const y = Math.round(label.y);
  const path = `M${spot(start)}Q${spot(control)} ${spot(end)}`;
  return [
    `<a class="link ${health} ${kind}${changes === "" ? "" : " changing"}" href="#link/${index}">`,
    `<title>${xml(linkLine(link))}</title>`,
    `<path class="reach" d="${path}"/>`,
    `<path class="line" d="${path}" marker-end="url(#to-${health})"/>`,
    `<rect x="${left}" y="${y - 11}" width="${width}" height="22" rx="11"/>`,
    shape(health, { x: left + 14, y }),
    `<text aria-hidden="true" x="${left + 25}" y="${y + 4}">${text}</text>`,
    "</a>",
  ].join("");
}

/** Where the way from a card's centre to a point leaves the card, and then some. */
function border(centre: Point, point: Point, card: Layout["card"], more: number): Point {
  const x = point.x - centre.x;
  const y = point.y - centre.y;
  const length = Math.hypot(x, y) || 1;
  const share = Math.min(
    card.width / 2 / Math.max(Math.abs(x), 0.01),
    card.height / 2 / Math.max(Math.abs(y), 0.01),
  );
  return {
    x: centre.x + x * share + (x / length) * more,
    y: centre.y + y * share + (y / length) * more,
  };
}

/** A point of a quadratic curve. */
function along(start: Point, control: Point, end: Point, share: number): Point {
  const [a, b, c] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];
  return {
    x: a * start.x + b * control.x + c * end.x,
    y: a * start.y + b * control.y + c * end.y,
  };
}

function spot({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
