import { ok } from "node:assert/strict";

import type { Fault } from "../simulation/faults.ts";
import { Mesh } from "../simulation/mesh.ts";
import { putServices } from "../simulation/contents.ts";
import { exported, gatewayService } from "../unit/fixtures/objects.ts";

/** What the source's API server does about every write while it goes on answering reads. */
const faults: readonly {
  readonly what: string;
  readonly fault: Fault;
  /** Seconds that a run may take, however many mirrors it has. */
  readonly most: number;
}[] = [
  { what: "hangs", fault: "hang", most: 125 },
  { what: "refuses connections", fault: "refuse", most: 15 },
  { what: "begins to answer and crawls", fault: "crawl", most: 125 },
];

describe("a run against an API server whose writes", () => {
  const meshes = new Map<number, Mesh>();

  for (const { what, fault, most } of faults)
    describe(what, () => {
      for (const mirrors of [10, 10_000])
        it(`ends in bounded time with ${mirrors} mirrors, and says little`, async function () {
          this.timeout("2m");
          const mesh = meshes.get(mirrors) ?? exporting(mirrors);
          meshes.set(mirrors, mesh);
          const { waited, failure = "" } = await mesh
            .copy()
            .up((cluster) =>
              cluster === "east"
                ? ({ method }) => (method === "GET" ? undefined : fault)
                : undefined,
            );
          ok(waited / 1000 <= most, `it takes ${waited / 1000} s`);
          const reasons = failure.split("\n");
          ok(reasons.length <= 5, failure);
          for (const reason of reasons) ok(reason.length < 1_000, reason);
          if (mirrors === 10) return;
          const [, count] = /: (\d+) mirrors not attempted; the next run/.exec(failure) ?? [];
          ok(Number(count) > 8_000, failure);
        });
    });
});

/** A mesh in which so many mirrors are to be created. */
function exporting(mirrors: number): Mesh {
  const mesh = new Mesh(["east", "west"], {
    clusters: { east: {}, west: {} },
    links: [{ source: "east", target: "west", maxMirrors: mirrors }],
  });
  mesh.options = { pageSize: 100_000 };
  for (let index = 0; index < 100; index++)
    mesh.server("east").put("namespaces", { metadata: { name: `shop-${index}` } });
  putServices(mesh.server("west"), gatewayService("west"));
  for (let index = 0; index < mirrors; index++)
    putServices(mesh.server("west"), exported(`shop-${index % 100}/web-${index}`));
  return mesh;
}
