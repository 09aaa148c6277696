import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Facts } from "../facts/facts.ts";
import type { MapFormat } from "../output.ts";
import { svgOf } from "./graph.ts";
import { pageOf } from "./page.ts";
import { healthMarks, linkCounts, type Picture, pictureOf } from "./picture.ts";

export async function mapOf(facts: Facts, preview: boolean, format: MapFormat): Promise<string> {
  const picture = pictureOf(facts, preview);
  const css = readFileSync(join(import.meta.dirname, "style.css"), "utf8");
  switch (format) {
    case "html":
      return pageOf(picture, await svgOf(picture), css);
    case "svg":
      return `${(await svgOf(picture, css)).text}\n`;
    case "mermaid":
      return mermaidOf(picture);
  }
}

const strokes = { ok: "#1c7a4c", degraded: "#9a5b00", failed: "#b3261e", unknown: "#5d6778" };

/** Many sites render Mermaid's flowcharts in Markdown. */
export function mermaidOf({ clusters, links }: Picture): string {
  const index = new Map(clusters.map(({ name }, position) => [name, position]));
  // Characters with a meaning in Mermaid become entities.
  const text = (words: string) =>
    words.replaceAll(/[^\w .,:+~()-]/gu, (sign) => `#${sign.codePointAt(0) ?? 63};`);
  return [
    "flowchart LR",
    ...clusters.map(
      ({ name, health }, position) =>
        `  n${position}["${text(`${healthMarks[health]}${name}`)}<br/>${health}"]:::${health}`,
    ),
    ...links.map((link) => {
      const arrow = link.mode === "flat" ? "-.->" : "-->";
      return `  n${index.get(link.source) ?? ""} ${arrow}|"${text(healthMarks[link.health] + linkCounts(link))}"| n${index.get(link.target) ?? ""}`;
    }),
    ...Object.entries(strokes).map(([health, stroke]) => `  classDef ${health} stroke:${stroke}`),
    "",
  ].join("\n");
}
