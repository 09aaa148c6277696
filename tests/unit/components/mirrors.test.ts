import { deepEqual } from "node:assert/strict";
import { mirrorsArgs } from "../../../config/mirrors.ts";
import { configOf, type Raw } from "../config/table.ts";
import { MemoryCluster } from "../fixtures/memory-cluster.ts";
import { cluster, exported } from "../fixtures/objects.ts";
import { exporting, preview } from "../fixtures/world.ts";

const flat = { source: "east", target: "west", gateway: false };
const viaGateway = { source: "north", target: "west" };

/** What a preview says of east, into which west's Services are mirrored. */
async function told(links: readonly Raw[], services: readonly [name: string, exported: string][]) {
  const clusters = { west: null, east: null, north: null };
  const args = mirrorsArgs(configOf({ clusters, links }), "east", "mesh/test");
  if (args === undefined) throw new Error("no link leads into east");
  const labelled = services.map(([name, value]) =>
    exported(`shop/${name}`, { labels: { "mirror.linkerd.io/exported": value } }),
  );
  const { notes, inputs } = await preview(
    {
      east: new MemoryCluster(cluster("east", { namespaces: ["shop"] })),
      west: new MemoryCluster(exporting("west", labelled)),
    },
    args,
  );
  return { notes, notMirrored: Object.keys(inputs.notMirrored?.["west"] ?? {}) };
}

describe("a Service that is exported for the gateway, and a flat link", () => {
  it("are no news where another link of the stack mirrors it", async () => {
    deepEqual(await told([flat, viaGateway], [["web", "true"]]), { notes: [], notMirrored: [] });
    const controlled = { ...viaGateway, mirroring: "controller" };
    deepEqual(await told([flat, controlled], [["web", "true"]]), { notes: [], notMirrored: [] });
  });

  it("are told where no other link does", async () => {
    const why =
      "it is labelled mirror.linkerd.io/exported=true and this link has no gateway: label it remote-discovery, or give the link a gateway";
    for (const other of [[], [{ ...viaGateway, gateway: false }]])
      deepEqual(await told([flat, ...other], [["web", "true"]]), {
        notes: [`east <- west: shop/web is not mirrored (NotSelected): ${why}`],
        notMirrored: ["shop/web"],
      });
  });

  it("does not hide a slip in the label", async () => {
    const { notMirrored } = await told(
      [flat, viaGateway],
      [
        ["web", "true"],
        ["api", "True"],
      ],
    );
    deepEqual(notMirrored, ["shop/api"]);
  });
});
