import { deepEqual } from "node:assert/strict";

import { Mesh } from "../../components/mesh.ts";
import { configOf } from "../unit/config/table.ts";
import { types } from "./mocked-mesh.ts";
import { mockedStack, valueOf } from "./mocked-stack.ts";

describe("what a mesh tells its program", () => {
  it("has links that are in order, that wait for a cluster, and that somebody has to mend", async () => {
    const link = (target: string) => ({ source: "east", target });
    const config = configOf({
      ...{ manage: "mirrors", clusters: { east: {}, north: {}, south: {}, west: {} } },
      links: [link("north"), link("south"), link("west")],
    });
    const outputs = {
      mirrors: { west: { "shop/a-west": "", "shop/b-west": "" }, federated: { "shop/c": "" } },
      notMirrored: { west: { "shop/d": "" }, federated: { "shop/e": "" } },
      ...{ unreachable: ["north"], refused: { south: "renew its token" } },
    };
    const { result } = await mockedStack(
      () => new Mesh("mesh", { config, listed: true }),
      new Map([[`${types.mirrors} east`, outputs]]),
    );
    deepEqual(await valueOf(result.federated), { east: ["shop/c"] });
    deepEqual(await valueOf(result.linkStatuses), {
      "east/north": { state: "unreachable", mirrors: 0, notMirrored: 0 },
      "east/south": { state: "renew its token", mirrors: 0, notMirrored: 0 },
      "east/west": { state: "ok", mirrors: 2, notMirrored: 1 },
    });
  });
});
