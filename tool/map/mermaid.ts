import { healthMarks, linkCounts, type Picture } from "./picture.ts";

const strokes = { ok: "#1c7a4c", warning: "#9a5b00", error: "#b3261e", unknown: "#5d6778" };

/** A flowchart for Mermaid, which many sites draw from Markdown. */
export function mermaidOf({ clusters, links }: Picture): string {
  const index = new Map(clusters.map(({ name }, position) => [name, position]));
  // Everything that could mean something to Mermaid is written as an entity.
  const text = (words: string) =>
    words.replaceAll(/[^\w .,:+~()-]/gu, (sign) => `#${sign.codePointAt(0) ?? 63};`);
  return [
    "flowchart LR",
    ...clusters.map(
      ({ name, health }, position) =>
        `  n${position}["${text(`${healthMarks[health]}${name}`)}<br/>${health}"]:::${health}`,
    ),
    ...links.map((link) => {
      const arrow = link.kind === "flat" ? "-.->" : "-->";
      return `  n${index.get(link.source) ?? ""} ${arrow}|"${text(healthMarks[link.health] + linkCounts(link))}"| n${index.get(link.target) ?? ""}`;
    }),
    ...Object.entries(strokes).map(([health, stroke]) => `  classDef ${health} stroke:${stroke}`),
    "",
  ].join("\n");
}
