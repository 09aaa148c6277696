import { deepEqual } from "node:assert/strict";
import { configOf, type Raw } from "./table.ts";

const clusters = { c: null, a: null, b: null };

/** The config besides `clusters: {c, a, b}`, and the links that it means, in order. */
const rows: readonly (readonly [name: string, raw: Raw, links: readonly string[]])[] = [
  ["no topology", {}, []],
  ["none", { topology: "none" }, []],
  [
    "mesh: every pair, both ways, in cluster order",
    { topology: "mesh" },
    ["c>a", "c>b", "a>c", "a>b", "b>c", "b>a"],
  ],
  ["hub: to and from every other", { topology: { hub: "a" } }, ["c>a", "a>c", "a>b", "b>a"]],
  ["a mesh of one", { topology: "mesh", clusters: { a: null } }, []],
  [
    "listed links come first, in their order",
    {
      topology: { hub: "a" },
      links: [
        { source: "b", target: "c" },
        { source: "b", target: "a" },
      ],
    },
    ["b>c", "b>a", "c>a", "a>c", "a>b"],
  ],
  [
    "listed links alone",
    {
      links: [
        { source: "b", target: "c" },
        { source: "a", target: "c" },
      ],
    },
    ["b>c", "a>c"],
  ],
];

describe("stack config: topology", () => {
  for (const [name, raw, links] of rows) {
    it(name, () => {
      const found = configOf({ clusters, ...raw }).links;
      deepEqual(
        found.map(({ spec }) => `${spec.source}>${spec.target}`),
        links,
      );
    });
  }

  it("linkDefaults apply to its links and to listed ones, whose own keys win", () => {
    const { links } = configOf({
      clusters: { a: null, b: null },
      topology: "mesh",
      links: [{ source: "b", target: "a", readiness: "ignore" }],
      linkDefaults: { readiness: "follow", headless: true },
    });
    deepEqual(
      links.map(({ spec }) => [spec.source, spec.readiness, spec.headless]),
      [
        ["b", "ignore", true],
        ["a", "follow", true],
      ],
    );
  });
});
