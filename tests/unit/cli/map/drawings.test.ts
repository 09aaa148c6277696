import { deepEqual, equal, match } from "node:assert/strict";
import { omittedFrom, svgOf } from "../../../../cli/map/graph.ts";
import { mermaidOf } from "../../../../cli/map/map.ts";
import { hostileNames, meshOf, renamed } from "./meshes.ts";

const small = meshOf({ clusters: 3, mirrors: 240, links: "all", preview: true });
const hostile = renamed(small, hostileNames);

describe("a drawing of map", () => {
  it("describes each cluster and link in words, with the changes of the next up", async () => {
    const { text: svg } = await svgOf(small);
    for (const title of [
      "west: ok, Linkerd edge-26.10.2, trust anchors for 340 days",
      "north → west, gateway: 40 mirrors, 1 not mirrored, +1 ~1 -1, warning",
      "east → north, flat network: 40 mirrors, +1 ~1 -1, ok",
    ])
      equal(svg.includes(`<title>${title}</title>`), true, title);
    const mermaid = mermaidOf(small);
    match(mermaid, /^ {2}n0\["west<br\/>ok"\]:::ok$/m);
    match(mermaid, /^ {2}n2 -->\|"#33; 40 mirrors, 1 not mirrored, \+1 ~1 -1"\| n0$/m);
    match(mermaid, /^ {2}n1 -.->\|"40 mirrors, \+1 ~1 -1"\| n2$/m);
  });

  it("has no markup from names", async () => {
    const { text: svg } = await svgOf(hostile);
    const tags = new Set([...svg.matchAll(/<([^\s>]+)/g)].map(([, tag]) => tag));
    deepEqual([...tags].sort(), [
      ...["/a", "/g", "/svg", "/text", "/title", "a", "g", "path", "polygon", "svg", "text"],
      "title",
    ]);
    equal(svg.match(/<a class="(node|edge) \w+" href="#(cluster|link)-\d"/g)?.length, 9);
    for (const line of mermaidOf(hostile).split("\n").slice(1, 10))
      match(line, /^ {2}n\d(?:\["[^"<>\\`]*<br\/>[a-z ]+"\]:::\w+| -\.?->\|"[^"<>\\`]*"\| n\d)$/);
  });

  it("shows names literally that mean something to Graphviz", async () => {
    const named = renamed(small, [String.raw`\N\l&lt;"}`]);
    const { text: svg } = await svgOf(named);
    match(svg, />\\N\\l&amp;lt;(&quot;|")}0</);
  });

  it("draws up to 100 links, and of more links those with findings", async () => {
    const hub = meshOf({ clusters: 50, mirrors: 1_000, links: "hub" });
    equal((await svgOf(hub)).text.match(/href="#link-/g)?.length, hub.links.length);
    equal(omittedFrom(hub), undefined);
    const all = meshOf({ clusters: 50, mirrors: 2_450, links: "all" });
    const { text: svg } = await svgOf(all);
    equal(svg.match(/href="#link-/g)?.length, 100);
    deepEqual(svg.match(/class="edge (ok|unknown)"/g), null);
    match(omittedFrom(all) ?? "", /^2,450 links are too many for a picture/);
  }).timeout(20_000);
});
