import {
  changesOf,
  type HealthPicture,
  healthWords,
  type LinkPicture,
  type Picture,
} from "./picture.ts";

const looks: Readonly<Record<HealthPicture, { readonly stroke: string; readonly mark: string }>> = {
  ok: { stroke: "#1c7a4c", mark: "" },
  warning: { stroke: "#9a5b00", mark: "! " },
  error: { stroke: "#b3261e", mark: "x " },
  unknown: { stroke: "#5d6778", mark: "? " },
};

/** A flowchart for Mermaid, as Markdown of many a site shows it. */
export function mermaidOf({ clusters, links }: Picture): string {
  const index = new Map(clusters.map(({ name }, position) => [name, position]));
  // Everything that could mean something to Mermaid is written as an entity.
  const text = (words: string) =>
    words.replaceAll(/[^\w .,:+~()-]/gu, (sign) => `#${sign.codePointAt(0) ?? 63};`);
  return [
    "flowchart LR",
    ...clusters.map(
      ({ name, health }, position) =>
        `  n${position}["${text(`${looks[health].mark}${name}`)}<br/>${healthWords[health]}"]:::${health}`,
    ),
    ...links.map((link) => {
      const arrow = link.kind === "flat" ? "-.->" : "-->";
      return `  n${index.get(link.source) ?? ""} ${arrow}|"${text(countOf(link))}"| n${index.get(link.target) ?? ""}`;
    }),
    ...Object.entries(looks).map(([health, { stroke }]) => `  classDef ${health} stroke:${stroke}`),
    "",
  ].join("\n");
}

/** The same for Graphviz. */
export function dotOf({ stack, clusters, links }: Picture): string {
  const text = (words: string) => `"${words.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return [
    `digraph ${text(stack)} {`,
    "  rankdir=LR; node [shape=box, style=rounded];",
    ...clusters.map(({ name, health }) => {
      const words = `${looks[health].mark}${name}, ${healthWords[health]}`;
      return `  ${text(name)} [label=${text(words)}, color="${looks[health].stroke}"];`;
    }),
    ...links.map((link) => {
      const { source, target, kind, health } = link;
      const style = kind === "flat" ? "dashed" : "solid";
      return `  ${text(source)} -> ${text(target)} [label=${text(countOf(link))}, style=${style}, color="${looks[health].stroke}"];`;
    }),
    "}",
    "",
  ].join("\n");
}

/** `x 40 mirrors, 2 not, +1 -2`. */
function countOf({ health, mirrors, notMirrored }: LinkPicture): string {
  const changes = changesOf(mirrors);
  return [
    `${looks[health].mark}${mirrors.length} mirrors`,
    ...(notMirrored.length === 0 ? [] : [`${notMirrored.length} not`]),
    ...(changes === "" ? [] : [changes]),
  ].join(", ");
}
