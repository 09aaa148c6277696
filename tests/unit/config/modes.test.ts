import { deepEqual } from "node:assert/strict";
import { parseConfig, parseTexts } from "../../../config/parse.ts";
import { configOf, parsed, type Raw, westAndEast } from "./table.ts";

const short = (sentences: readonly string[]) =>
  sentences.map((sentence) => sentence.replaceAll("linkerd-multicluster:", ""));

/** After `! ` stand the sentences about keys that have no effect. */
const rows = `
# a rotation with manage: links
manage: links
trust: { generation: 2 }
! trust.generation is set; it must be left out where manage is "links", which ignores it.

# charts and values with manage: mirrors
manage: mirrors
charts: { version: 2026.8.3, crds: { name: other } }
! charts.version is set; it must be left out where manage is "mirrors", which ignores it.
! charts.crds.name is set; it must be left out where manage is "mirrors", which ignores it.

# keys of a cluster with manage: mirrors
manage: mirrors
clusters: { west: { adopt: true, gateway: { enabled: true, port: 4143 } }, east: { apiServer: https://east.example.com } }
! clusters.west.gateway.enabled is set; it must be left out where manage is "mirrors", which ignores it.
! clusters.west.adopt is set; it must be left out where manage is "mirrors", which ignores it.
! clusters.east.apiServer is set; it must be left out where manage is "mirrors", which ignores it.

# the credentials of a link with manage: mirrors
manage: mirrors
links: [{ source: east, target: west, credentialsGeneration: 2 }]
linkDefaults: { adopt: true }
! links[0].credentialsGeneration is set; it must be left out where manage is "mirrors", which ignores it.
! linkDefaults.adopt is set; it must be left out where manage is "mirrors", which ignores it.

# links with manage: trust
manage: trust
links: [{ source: east, target: west }]
clusters: { west: { values: {}, trustDomain: west.example }, east: { gateway: false } }
! clusters.east.gateway is set; it must be left out where manage is "trust", which ignores it.
! links is set; it must be left out where manage is "trust", which ignores it.

# a cluster that is called like a key
manage: mirrors
clusters: { adopt: {}, values: {} }

# everything with manage: all
trust: { generation: 2 }
charts: { version: 2026.8.3 }
clusters: { west: { values: {}, adopt: true, gatewayApi: assume }, east: {} }
links: [{ source: east, target: west, credentialsGeneration: 2 }]
`;

describe("a key that has no effect in the stack's mode", () => {
  for (const paragraph of rows.trim().split(/\n\n+/)) {
    const lines = paragraph.split("\n");
    const { name, raw } = parsed(lines.filter((line) => !line.startsWith("! ")).join("\n"));
    const expected = lines.filter((line) => line.startsWith("! ")).map((line) => line.slice(2));
    it(`is named, with what to do: ${name}`, () => {
      deepEqual(short(configOf(raw).ignored), expected);
    });
  }

  it("is reported beside other mistakes", () => {
    const found = parseConfig({
      manage: "links",
      clusters: westAndEast,
      charts: { version: "1" },
      leaving: { west: "away" },
    });
    deepEqual("mistakes" in found && found.mistakes.length, 2);
  });

  /** Returns what a stack with these keys ignores, beside a mesh file. */
  function ignoredBeside(file: Raw, own: Raw): readonly string[] {
    const texts = Object.fromEntries(
      Object.entries({ mesh: "mesh.yaml", ...own }).map(([key, value]) => [
        `linkerd-multicluster:${key}`,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    );
    return short(parseTexts(texts, "It", { readText: () => JSON.stringify(file) }).ignored);
  }
  const file = { clusters: westAndEast, charts: { version: "2026.8.3" } };
  const ofCharts = 'is set; it must be left out where manage is "links", which ignores it.';

  it("is none in a mesh file for stacks of several modes", () => {
    deepEqual(ignoredBeside(file, { manage: "links" }), []);
    deepEqual(ignoredBeside({ ...file, manage: "all" }, { manage: "links" }), []);
    deepEqual(ignoredBeside({ ...file, links: [], topology: "mesh" }, { manage: "trust" }), []);
  });

  it("is judged in a mesh file by the mode that the file sets", () => {
    deepEqual(ignoredBeside({ ...file, manage: "links" }, {}), [
      `mesh.yaml: charts.version ${ofCharts.replace("manage", "mesh.yaml: manage")}`,
    ]);
  });

  it("is judged in the stack's own config by the stack's mode", () => {
    const own = { manage: "links", charts: { source: "https://charts.example.com" } };
    deepEqual(ignoredBeside({ ...file, manage: "all" }, own), [`charts.source ${ofCharts}`]);
  });
});
