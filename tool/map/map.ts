import type { Facts } from "../facts.ts";
import type { MapFormat } from "../output.ts";
import { dotOf, mermaidOf } from "./diagrams.ts";
import { pictureOf } from "./from-facts.ts";
import { htmlOf, style } from "./html.ts";
import { layoutOf } from "./layout.ts";
import { svgOf } from "./svg.ts";

/** Where there are more clusters, the page has a matrix and no graph. */
const mostInGraph = 20;

/** The picture of a mesh in a format. @throws Error with a sentence */
export async function mapOf(facts: Facts, preview: boolean, format: MapFormat): Promise<string> {
  if (preview && facts.from === "state")
    throw new Error(
      "--preview asks the clusters what the next up would change: leave --state out.",
    );
  const picture = pictureOf(facts, preview);
  const { length } = picture.clusters;
  switch (format) {
    case "html":
      return htmlOf(picture, length > mostInGraph ? undefined : await layoutOf(picture));
    case "svg":
      return `${svgOf(picture, await layoutOf(picture), style())}\n`;
    case "mermaid":
      return mermaidOf(picture);
    case "dot":
      return dotOf(picture);
    case "json":
      return `${JSON.stringify(picture, null, 2)}\n`;
  }
}
