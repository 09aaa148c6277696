import { deepEqual } from "node:assert/strict";
import { configOf, linkRow, type MistakeRow, testMistakes, westAndEast } from "./table.ts";

const revoked = { revoked: true };

describe("config: what is revoked", () => {
  it("a cluster with all its links, those of the topology too", () => {
    const clusters = { west: null, north: null, east: revoked };
    const config = configOf({ clusters, topology: "mesh" });
    deepEqual([...config.clusters.keys()], ["west", "north"]);
    deepEqual([...config.revoked.clusters.keys()], ["east"]);
    deepEqual(config.revoked.links, []);
    deepEqual(
      config.links.map(({ spec: { source, target } }) => `${source}/${target}`),
      ["west/north", "north/west"],
    );
  });

  it("a link, also one of the topology", () => {
    const link = { source: "east", target: "west" };
    const config = configOf({ topology: "mesh", links: [{ ...link, ...revoked }] });
    deepEqual(config.revoked.links, [link]);
    deepEqual(
      config.links.map(({ spec: { source, target } }) => `${source}/${target}`),
      ["west/east"],
    );
  });

  it("a cluster whose successor has its context", () => {
    const clusters = { west: { context: "same", ...revoked }, west2: { context: "same" } };
    deepEqual([...configOf({ clusters }).clusters.keys()], ["west2"]);
  });

  const rows: readonly MistakeRow[] = [
    [
      "not every cluster",
      { clusters: { west: { ...westAndEast.west, ...revoked } } },
      [
        "clusters names only revoked clusters; at least one must not be, as access is revoked in the clusters that remain.",
      ],
    ],
    linkRow("not with a word", { revoked: "yes" }, [
      'links[0].revoked is "yes"; it must be true or false.',
    ]),
    [
      "no link where no access was given",
      { manage: "mirrors", links: [{ source: "east", target: "west", ...revoked }] },
      [
        'links[0].revoked is true; it must be left out where manage is "mirrors", which gives no access: remove the link, and delete the source\'s account where it was made.',
      ],
    ],
  ];
  testMistakes(rows);
});
