import { deepEqual } from "node:assert/strict";
import { Mesh } from "../../components/mesh.ts";
import { configOf } from "../unit/config/table.ts";
import { mockedMesh, types } from "./mocked-mesh.ts";
import { mockedStack, valueOf } from "./mocked-stack.ts";

const clusters = { west: { context: "k3d-west" }, east: { context: "k3d-east" }, north: null };
const manage = "mirrors";

describe("Mesh with manage: mirrors", () => {
  it("has one resource per source, which waits for nothing", async () => {
    const links = [
      { source: "east", target: "west", headless: true },
      { source: "north", target: "west" },
      { source: "east", target: "north", gateway: false },
    ];
    const mesh = await mockedMesh({ manage, clusters, links, linkerdCheck: true });
    deepEqual(
      mesh.resources.map(({ type, name }) => `${type} ${name}`).toSorted(),
      [
        `${types.installed} installed`,
        `${types.mesh} mesh`,
        `${types.mirrors} east`,
        `${types.mirrors} north`,
      ].sort(),
    );
    deepEqual(mesh.said, []);
    for (const { dependencies, parent, provider } of mesh.ofType(types.mirrors))
      deepEqual([dependencies, parent, provider], [[], `${types.mesh} mesh`, ""]);
  });

  it("has nothing but its memory without links", async () => {
    const mesh = await mockedMesh({ manage, clusters });
    deepEqual(mesh.order, [`${types.installed} installed`]);
    // A first preview shows all of it.
    const shown = Object.keys(mesh.inputs(types.installed, "installed"));
    deepEqual(
      shown.filter((key) => /trust/i.test(key)),
      [],
    );
  });

  it("warns in a preview of what will fail the run, once", async () => {
    const links = ["west", "north"].map((target) => ({ source: "east", target }));
    const refused = { west: "renew its token" };
    const state = ["east", "north"].map(
      (source) => [`${types.mirrors} ${source}`, { refused }] as const,
    );
    const config = { manage, clusters, links: [...links, { source: "north", target: "west" }] };
    const told = ["warning: pulumi up will fail after everything else: renew its token"];
    deepEqual((await mockedMesh(config, { preview: true, state })).said, told);
    deepEqual((await mockedMesh(config, { state })).said, []);
  });

  it("returns which links are in order, wait for a cluster, or need fixing", async () => {
    const link = (target: string) => ({ source: "east", target });
    const config = configOf({
      manage: "mirrors",
      clusters: { east: {}, north: {}, south: {}, west: {} },
      links: [link("north"), link("south"), link("west")],
    });
    const outputs = {
      mirrors: { west: { "shop/a-west": "", "shop/b-west": "" }, federated: { "shop/c": "" } },
      notMirrored: { west: { "shop/d": "" }, federated: { "shop/e": "" } },
      unreachable: ["north"],
      refused: { south: "renew its token" },
    };
    const { result } = await mockedStack(
      async () => {
        const mesh = new Mesh("mesh", { config, listed: true });
        await mesh.registered();
        return mesh;
      },
      new Map([[`${types.mirrors} east`, outputs]]),
    );
    deepEqual(await valueOf(result.federated), { east: ["shop/c"] });
    deepEqual(await valueOf(result.linkStatuses), {
      "east/north": { state: "unreachable", mirrors: 0, notMirrored: 0 },
      "east/south": {
        state: "failed",
        problem: "renew its token",
        mirrors: 0,
        notMirrored: 0,
      },
      "east/west": { state: "ok", mirrors: 2, notMirrored: 1 },
    });
  });
});
