import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { count } from "@linkerd-multicluster/engine/base";
import { printable } from "@linkerd-multicluster/engine/kubernetes";
import { Markup, markup } from "./markup.ts";
import {
  clusterLine,
  type Health,
  healthMarks,
  linkCounts,
  linkLine,
  type LinkPicture,
  type Picture,
} from "./picture.ts";

/** With more links, labels would overlap: the picture is then a circle without labels. */
const mostLabels = 20;
/** With more links, only those with findings are drawn. */
export const mostLinks = 100;
const longestName = 40;

/** An arrow leads to the details of the link at this position on the page. */
type Drawn = readonly [index: number, link: LinkPicture];

/**
 * Draws the mesh with Graphviz. Clusters and links point to `#cluster-N` and `#link-N`, and have titles for people who
 * don't see the picture.
 *
 * @param css for a file that isn't part of a page
 */
export async function svgOf(picture: Picture, css = ""): Promise<Markup> {
  const graphviz = await Graphviz.load();
  const { clusters, links } = picture;
  const drawn = drawnLinks(links);
  const isLabelled = drawn.length <= mostLabels;
  const svg = graphviz.layout(
    dotOf(picture, drawn, isLabelled),
    "svg",
    isLabelled ? "dot" : "circo",
  );
  const [size = ""] = /width="\d+pt" height="\d+pt"\s+viewBox="[-\d. ]+"/.exec(svg) ?? [];
  // Graphviz escapes all text, so that only its own groups match.
  const groups = /<g id="(cluster|link)(\d+)" class="([^"]*)">\n<title>[^<]*<\/title>([^]*?)<\/g>/g;
  const content = svg
    .slice(svg.indexOf("<g "))
    .replaceAll(/<!--[^]*?-->\n/g, "")
    .replaceAll(groups, (_, kind: string, position: string, classes: string, shapes: string) => {
      const cluster = clusters[Number(position)];
      const link = links[Number(position)];
      const line =
        kind === "cluster"
          ? cluster && clusterLine(cluster)
          : link && `${linkLine(link)}, ${link.health}`;
      return markup`<a class="${classes}" href="#${kind}-${position}"><title>${line}</title>${new Markup(shapes)}</a>`
        .text;
    });
  const label = `Picture of ${count(clusters.length, "cluster")} and ${count(links.length, "link")}`;
  const style = css === "" ? "" : new Markup(`<style>${css}</style>`);
  return markup`<svg xmlns="http://www.w3.org/2000/svg" role="group" aria-label="${label}" ${new Markup(size)}>
${style}
${new Markup(content)}`;
}

function drawnLinks(links: readonly LinkPicture[]): readonly Drawn[] {
  const all = [...links.entries()];
  if (all.length <= mostLinks) return all;
  const having = (health: Health) => all.filter(([, link]) => link.health === health);
  return [...having("failed"), ...having("degraded")].slice(0, mostLinks);
}

/** Graphviz knows clusters by numbers, so that names are never more than labels. */
function dotOf({ clusters, links }: Picture, drawn: readonly Drawn[], isLabelled: boolean): string {
  const index = new Map(clusters.map(({ name }, position) => [name, position]));
  const counts = new Map<string, number>();
  for (const { source, mirrors } of links)
    counts.set(source, (counts.get(source) ?? 0) + mirrors.length);
  const font = 'fontname="Helvetica,Arial,sans-serif"';
  return [
    'digraph { graph [rankdir=LR, ranksep=0.9, mindist=0.3, bgcolor="transparent"];',
    `node [shape=box, style=rounded, margin="0.2,0.1", ${font}, fontsize=13];`,
    `edge [${font}, fontsize=11];`,
    ...clusters.map(({ name, health }, position) => {
      const lines = [printable(name, longestName), `${healthMarks[health]}${health}`];
      if (isLabelled) lines.push(count(counts.get(name) ?? 0, "mirror"));
      const label = lines.map(text).join(String.raw`\n`);
      return `n${position} [id="cluster${position}", class="${health}", label="${label}"];`;
    }),
    ...drawn.map(([position, link]) => {
      const [from, to] = [index.get(link.source), index.get(link.target)];
      if (from === undefined || to === undefined) return "";
      const style = link.mode === "flat" ? "dashed" : "solid";
      const label = isLabelled
        ? `, label="${text(healthMarks[link.health] + linkCounts(link))}"`
        : "";
      return `n${from} -> n${to} [id="link${position}", class="${link.health}", style=${style}${label}];`;
    }),
    "}",
  ].join("\n");
}

/** Quotes text for a label, because Graphviz reads entities there, and escapes such as \N. */
function text(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll(/["\\]/g, String.raw`\$&`);
}
