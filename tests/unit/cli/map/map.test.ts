import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import type { LinkFact } from "../../../../cli/facts/facts.ts";
import { svgOf } from "../../../../cli/map/graph.ts";
import { mapOf, mermaidOf } from "../../../../cli/map/map.ts";
import { pageOf } from "../../../../cli/map/page.ts";
import type { Picture } from "../../../../cli/map/picture.ts";
import { factsOf, link } from "../made-facts.ts";
import { meshOf, renaming } from "./meshes.ts";

const shape = { clusters: 3, mirrors: 240, links: "all", preview: true } as const;
const mesh = meshOf(shape);
const hostile = meshOf({ ...shape, called: renaming() });

describe("a drawing of map", () => {
  it("gives each cluster and link a title with its pending changes", async () => {
    const { text: svg } = await svgOf(mesh);
    for (const title of [
      "west: ok, Linkerd edge-26.10.2, trust anchors for 340 days",
      "east: failed, Linkerd edge-26.10.2, trust anchors for 340 days",
      "north → west, gateway: 40 mirrors, 1 not mirrored, +1 ~1 -1, degraded",
      "east → north, flat network: 40 mirrors, +1 ~1 -1, ok",
    ])
      equal(svg.includes(`<title>${title}</title>`), true, title);
    const mermaid = mermaidOf(mesh);
    match(mermaid, /^ {2}n0\["west<br\/>ok"\]:::ok$/m);
    match(mermaid, /^ {2}n2 -->\|"#33; 40 mirrors, 1 not mirrored, \+1 ~1 -1"\| n0$/m);
    match(mermaid, /^ {2}n1 -.->\|"40 mirrors, \+1 ~1 -1"\| n2$/m);
  });

  it("escapes names", async () => {
    const { text: svg } = await svgOf(hostile);
    const tags = new Set([...svg.matchAll(/<([^\s>]+)/g)].map(([, tag]) => tag));
    deepEqual([...tags].sort(), [
      ...["/a", "/g", "/svg", "/text", "/title", "a", "g", "path", "polygon", "svg", "text"],
      "title",
    ]);
    equal(svg.match(/<a class="(node|edge) \w+" href="#(cluster|link)-\d"/g)?.length, 9);
    // Graphviz reads escapes and entities in labels.
    const { text: other } = await svgOf(meshOf({ ...shape, called: renaming(['\\N\\l&lt;"}']) }));
    match(other, />\\N\\l&amp;lt;(&quot;|")}0</);
    for (const line of mermaidOf(hostile).split("\n").slice(1, 10))
      match(line, /^ {2}n\d(?:\["[^"<>\\`]*<br\/>[a-z ]+"\]:::\w+| -\.?->\|"[^"<>\\`]*"\| n\d)$/);
  });

  it("draws all links up to 100, and of more only those with findings", async () => {
    const hub = meshOf({ clusters: 50, mirrors: 1_000, links: "hub" });
    const { text: all } = await svgOf(hub);
    equal(all.match(/href="#link-/g)?.length, hub.links.length);
    match(all, /class="edge unknown"/);
    const larger = meshOf({ clusters: 50, mirrors: 2_450, links: "all" });
    const drawn = await svgOf(larger);
    const svg = drawn.text;
    equal(svg.match(/href="#link-/g)?.length, 100);
    deepEqual(svg.match(/class="edge (ok|unknown)"/g), null);
    match(pageOf(larger, drawn, css), /<p>2,450 links are too many for a picture/);
  }).timeout(20_000);
});

const css = ":root { color: red }";
const page = async (picture: Picture) => pageOf(picture, await svgOf(picture), css);
const times = (text: string, found: RegExp) => text.match(found)?.length ?? 0;

describe("the HTML page of map", () => {
  it("allows no scripts, and no styles but its own", async () => {
    const html = await page(mesh);
    const hash = createHash("sha256").update(css).digest("base64");
    match(html, /^<!doctype html>\n<html lang="en">/);
    ok(
      html.includes(
        `http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
      ),
    );
    equal(times(html, /<script|<style|style="| on[a-z]+=/gi), 1);
  });

  it("lists the mirrors of each link where its arrow points", async () => {
    const html = await page(mesh);
    equal(times(html, /<details>/g), mesh.links.length);
    for (const [, place] of html.matchAll(/href="#([^"]*)"/g))
      equal(html.split(`id="${place ?? ""}"`).length, 2, place);
    for (const text of [
      '<summary><span class="mark degraded">degraded</span> north → west, gateway: 40 mirrors, 1 not mirrored, +1 ~1 -1</summary>',
      "Gateway: alive 192.0.2.1:4143.",
      "the gateway of west is down",
      "8 of 10 mirrors would go",
      '<th scope="row">team-3/service-3-west</th><td>team-3/service-3</td>',
      "<td>create, now missing</td>",
      "<td>update, now differs (ports: 80 → 81)</td>",
      "<td>undecided</td>",
      '<th scope="row">payments/ledger-1</th><td>all</td>\n<td>MissingNamespace</td>',
      "has no namespace payments",
      '<th scope="row">shop/cart-federated</th><td>west</td>\n<td>east, north</td>',
    ])
      ok(html.includes(text), text);
  });

  it("shows what the next up changes only in a preview", async () => {
    const html = await page(meshOf({ ...shape, preview: false }));
    equal(times(html, /<td>missing<\/td>/g), mesh.links.length);
    equal(times(html, /<td>\w+, now |\+1 ~1 -1/g), 0);
  });

  it("gives every table a heading, a caption and header scopes", async () => {
    const html = await page(mesh);
    const tables = html.match(/<table>[^]*?<\/table>/g) ?? [];
    equal(tables.length, 3 + mesh.links.length + 4);
    for (const table of tables) {
      match(table, /^<table>\n<caption>[^<]+<\/caption>\n<thead><tr><th scope="col">/);
      equal(times(table, /<th(?! scope="(col|row)">)/g), 1, "thead alone");
    }
    deepEqual([...html.matchAll(/<h(\d)/g)].map(([, level]) => level).join(""), "122222");
  });

  it("escapes names from clusters and files", async () => {
    const html = await page(hostile);
    const tags = new Set([...html.matchAll(/<([a-z!]\w*)/gi)].map(([, tag]) => tag));
    for (const tag of ["script", "img", "b", "!"]) equal(tags.has(tag), false, tag);
    equal(times(html, /<svg/g), 1);
    ok(html.includes("&#60;img src=x onerror=&#39;globalThis.hacked = 1&#39;&#62;1"));
    equal(times(html, /href="(?!#|https:)/g), 0);
  });

  it("escapes values in a bundle that no type allows", async () => {
    const mode = '"><img src=x>' as LinkFact["mode"];
    const facts = factsOf({ links: [link("a", "b", { mode, mirroring: mode as "pulumi" })] });
    for (const format of ["html", "svg"] as const)
      ok(!(await mapOf(facts, false, format)).includes("<img"));
  });

  it("lists up to 10,000 mirrors, those that differ first, and counts the rest", async () => {
    const large = meshOf({ clusters: 2, mirrors: 30_000, links: "all" });
    const html = await page(large);
    match(html, /… and 10,000 more: <code>status --output json<\/code> has all/);
    equal(times(html, /<td>missing<\/td>/g), 2 * 375);
  });
});
