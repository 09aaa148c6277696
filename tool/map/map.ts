import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Facts } from "../facts.ts";
import type { MapFormat } from "../output.ts";
import { pictureOf } from "./from-facts.ts";
import { svgOf } from "./graph.ts";
import { mermaidOf } from "./mermaid.ts";
import { pageOf } from "./page.ts";

/** The picture of a mesh in a format. @throws Error with a sentence */
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
    case "json":
      return `${JSON.stringify(picture, null, 2)}\n`;
  }
}
