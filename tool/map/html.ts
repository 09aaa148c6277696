import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { type Layout } from "./layout.ts";
import { healthWords, type Picture } from "./picture.ts";
import { svgOf, xml } from "./svg.ts";

/** The modules of the page's one script, each after those that it imports. */
const modules = [
  "picture.ts",
  "page/search.ts",
  "page/elements.ts",
  "page/table.ts",
  "page/appearances.ts",
  "page/panel.ts",
  "page/matrix.ts",
  "page/main.ts",
];

/**
 * The page that shows a mesh: one file that loads nothing. Its policy lets no script and no style run
 * but its own two, and nothing of the network be reached, whatever a name may hold.
 *
 * @param layout absent: there are too many clusters for a graph, and the page makes a matrix
 */
export function htmlOf(picture: Picture, layout: Layout | undefined): string {
  const script = modules.map(scriptOf).join("\n");
  const css = style();
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(css)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  const stack = xml(picture.stack);
  const legend = Object.entries(healthWords).map(
    ([health, words]) => `<li class="mark ${health}">${words}</li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mesh of ${stack}</title>
<style>${css}</style>
</head>
<body>
<header>
<h1>${stack}</h1>
<p>${picture.preview ? "Preview of the next up, read" : "Read"} ${xml(picture.readAt.slice(0, 16).replace("T", " "))} UTC</p>
<div id="views" role="group" aria-label="View" hidden><button type="button" id="as-graph">Graph</button><button type="button" id="as-matrix">Matrix</button></div>
<ul class="legend" aria-label="Legend">${legend.join("")}<li><span class="kind"></span>gateway</li><li><span class="kind flat"></span>flat network</li></ul>
</header>
<main id="picture" aria-label="Picture of the mesh">
${layout === undefined ? "" : svgOf(picture, layout)}
</main>
<aside id="panel" aria-label="Details"><noscript>The tables need a browser that runs the page's own script.</noscript></aside>
<p id="said" role="status"></p>
<script type="application/json" id="data">${jsonOf(picture)}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** The style of the page, and of its graph alone. */
export function style(): string {
  return textOf("page/style.css");
}

/** JSON that no text in it can end, nor begin a comment in. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A module as a part of one script: without its types, imports and exports. */
function scriptOf(path: string): string {
  const text = textOf(path)
    .replaceAll(/^import [^;]*;\n/gm, "")
    .replaceAll(/^export (?=\w)/gm, "");
  return withoutTypes(text)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .join("\n");
}

/** Node warns that it may change how it does this, of which the user can make nothing. */
function withoutTypes(text: string): string {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = warn;
  }
}

function textOf(path: string): string {
  return readFileSync(join(import.meta.dirname, path), "utf8");
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
