import { deepEqual, equal, match } from "node:assert/strict";
import { collidingNames } from "../../../config/colliding-names.ts";
import { parseConfig } from "../../../config/parse.ts";

function warnings(clusters: readonly string[], rest: object): string[] {
  const parsed = parseConfig({
    ...{ manage: "mirrors", ...rest },
    clusters: Object.fromEntries(clusters.map((name) => [name, {}])),
  });
  if ("mistakes" in parsed) throw new Error(parsed.mistakes.join("\n"));
  return collidingNames(parsed.config);
}

describe("cluster names by which mirrors can collide", () => {
  it("are told once, with the Services that would", () => {
    const [only, ...more] = warnings(["east", "eu-west", "north", "west"], { topology: "mesh" });
    deepEqual(more, []);
    match(
      only ?? "",
      /^the mirrors of clusters west and eu-west can have the same name: a Service web-eu of west and a Service web of eu-west would both be web-eu-west,.* rename one of the clusters, or let no Service of west end in -eu$/,
    );
  });

  it("are none where no cluster mirrors from both", () => {
    const links = [
      { source: "east", target: "west" },
      { source: "west", target: "eu-west" },
    ];
    deepEqual(warnings(["east", "eu-west", "west"], { links }), []);
  });

  it("are none where one ends with the other without a dash between, or only begins with it", () => {
    equal(warnings(["east", "midwest", "west", "west-1"], { topology: "mesh" }).length, 0);
  });
});
