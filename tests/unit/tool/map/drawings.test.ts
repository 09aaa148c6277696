import assert from "node:assert/strict";
import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { dotOf, mermaidOf } from "../../../../tool/map/diagrams.ts";
import { layoutOf } from "../../../../tool/map/layout.ts";
import { svgOf } from "../../../../tool/map/svg.ts";
import { hostileNames, meshOf, renamed } from "./meshes.ts";

const small = meshOf({ clusters: 3, mirrors: 240, links: "all", preview: true });
const hostile = renamed(small, hostileNames);

describe("the drawings of map", () => {
  it("put no card on another, nor outside", async () => {
    for (const clusters of [1, 2, 3, 5, 8, 9, 20])
      for (const links of ["all", "hub", "ring"] as const) {
        const {
          width,
          height,
          card,
          clusters: places,
        } = await layoutOf(meshOf({ clusters, mirrors: 100, links }));
        assert.equal(places.length, clusters);
        places.forEach(({ x, y }, index) => {
          assert.ok(x >= card.width / 2 && x <= width - card.width / 2, `${x} of ${width}`);
          assert.ok(y >= card.height / 2 && y <= height - card.height / 2, `${y} of ${height}`);
          for (const other of places.slice(index + 1))
            assert.ok(
              Math.abs(other.x - x) >= card.width || Math.abs(other.y - y) >= card.height,
              `${clusters} clusters, ${links}`,
            );
        });
      }
  });

  it("say the state of each cluster and link in words, and what the next up changes", async () => {
    const svg = svgOf(small, await layoutOf(small));
    assert.match(svg, /<title>west: in order, Linkerd edge-26.10.2, trust anchors for 340 days</);
    assert.match(
      svg,
      /<title>north to west, by gateway: 40 mirrors, 1 not mirrored, warning, next/,
    );
    assert.match(
      svg,
      /<title>east to north, flat network: 40 mirrors, in order, next up \+1 ~1 -1</,
    );
    const mermaid = mermaidOf(small);
    assert.match(mermaid, /^ {2}n0\["west<br\/>in order"\]:::ok$/m);
    assert.match(mermaid, /^ {2}n2 -->\|"#33; 40 mirrors, 1 not, \+1 ~1 -1"\| n0$/m);
    assert.match(mermaid, /^ {2}n1 -.->\|"40 mirrors, \+1 ~1 -1"\| n2$/m);
  });

  it("have no markup that a name brings along", async () => {
    const svg = svgOf(hostile, await layoutOf(hostile));
    const tags = new Set([...svg.matchAll(/<([^\s>/]+)/g)].map(([, tag]) => tag));
    assert.deepEqual([...tags].sort(), [
      "a",
      "circle",
      "defs",
      "marker",
      "path",
      "rect",
      "svg",
      "text",
      "title",
    ]);
    for (const line of mermaidOf(hostile).split("\n").slice(1, 10))
      assert.match(
        line,
        /^ {2}n\d(?:\["[^"<>\\`]*<br\/>[a-z ]+"\]:::\w+| -\.?->\|"[^"<>\\`]*"\| n\d)$/,
      );
    const graphviz = await Graphviz.load();
    const plain = graphviz.layout(dotOf(hostile), "plain");
    assert.equal(plain.match(/^node /gm)?.length, 3);
    assert.equal(plain.match(/^edge /gm)?.length, 6);
  });
});
