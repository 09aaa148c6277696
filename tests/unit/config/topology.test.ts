import { deepEqual } from "node:assert/strict";
import { configOf, type Raw } from "./table.ts";

const to = (source: string, ...targets: readonly string[]) =>
  targets.map((target) => ({ source, target }));

/** The config besides `clusters: {c, a, b}`, and the links that it means, in order. */
const rows: readonly (readonly [name: string, raw: Raw, links: string])[] = [
  ["no topology", {}, ""],
  ["none", { topology: "none" }, ""],
  [
    "mesh: every pair, both ways, in cluster order",
    { topology: "mesh" },
    "c>a c>b a>c a>b b>c b>a",
  ],
  ["hub: to and from every other", { topology: { hub: "a" } }, "c>a a>c a>b b>a"],
  ["a mesh of one", { topology: "mesh", clusters: { a: null } }, ""],
  [
    "listed links come first, in their order",
    { topology: { hub: "a" }, links: to("b", "c", "a") },
    "b>c b>a c>a a>c a>b",
  ],
  ["listed links alone", { links: [...to("b", "c"), ...to("a", "c")] }, "b>c a>c"],
];

describe("stack config: topology", () => {
  for (const [name, raw, links] of rows)
    it(name, () => {
      const found = configOf({ clusters: { c: null, a: null, b: null }, ...raw }).links;
      const written = found.map(({ spec: { source, target } }) => `${source}>${target}`);
      deepEqual(written.join(" "), links);
    });
});
