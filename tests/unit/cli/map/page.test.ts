import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { svgOf } from "../../../../cli/map/graph.ts";
import { pageOf } from "../../../../cli/map/page.ts";
import type { Picture } from "../../../../cli/map/picture.ts";
import { hostileNames, meshOf, renamed } from "./meshes.ts";

const css = ":root { color: red }";
const mesh = meshOf({ clusters: 3, mirrors: 240, links: "all", preview: true });
const page = async (picture: Picture) => pageOf(picture, await svgOf(picture), css);
const times = (text: string, found: RegExp) => text.match(found)?.length ?? 0;

describe("the HTML page of map", () => {
  it("forbids all scripts and all other styles", async () => {
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

  it("has details for each link that an arrow points to, with a row for each mirror", async () => {
    const html = await page(mesh);
    equal(times(html, /<details>/g), mesh.links.length);
    for (const [, place] of html.matchAll(/href="#([^"]*)"/g))
      equal(html.split(`id="${place ?? ""}"`).length, 2, place);
    for (const text of [
      '<summary><span class="mark warning">warning</span> north → west, gateway: 40 mirrors, 1 not mirrored, +1 ~1 -1</summary>',
      "the gateway of west is down",
      '<th scope="row">team-3/service-3-west</th>',
      "<td>create, now missing</td>",
      "<td>update, now differs (ports: 80/TCP → 80/TCP, 443/TCP)</td>",
      "<td>MissingNamespace</td>",
      "or set createNamespaces on the link",
      '<th scope="row">shop/cart-federated</th><td>west</td>\n<td>east, north</td>',
    ])
      ok(html.includes(text), text);
  });

  it("gives every table a heading, a caption and scopes", async () => {
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
    const hostile = renamed(mesh, hostileNames);
    const html = await page(hostile);
    const tags = new Set([...html.matchAll(/<([a-z!]\w*)/gi)].map(([, tag]) => tag));
    for (const tag of ["script", "img", "b", "!"]) equal(tags.has(tag), false, tag);
    equal(times(html, /<svg/g), 1);
    ok(html.includes("&#60;img src=x onerror=&#39;globalThis.hacked = 1&#39;&#62;1"));
    equal(times(html, /href="(?!#|https:)/g), 0);
  });

  it("lists up to 10,000 mirrors, those that differ first, and counts the rest", async () => {
    const large = meshOf({ clusters: 2, mirrors: 30_000, links: "all" });
    const html = await page(large);
    match(html, /… and 10,000 more: <code>map --output json<\/code> has all/);
    equal(times(html, /<td>missing<\/td>/g), 2 * 375);
    const wide = meshOf({ clusters: 50, mirrors: 10_000, links: "hub" });
    ok(Buffer.byteLength(await page(wide)) < 4_000_000);
  });
});
