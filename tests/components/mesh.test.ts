import { deepEqual, equal } from "node:assert/strict";
import { mockedMesh, types } from "./mocked-mesh.ts";

const clusters = { west: { context: "k3d-west" }, east: { context: "k3d-east" }, north: null };
const manage = "mirrors";

/** What Mirrors are made from, tests/unit/config/mirrors.test.ts says. */
describe("Mesh with manage: mirrors", () => {
  it("is one resource for each cluster that mirrors appear in, which waits for nothing", async () => {
    const links = [
      { source: "east", target: "west", headless: true },
      { source: "north", target: "west" },
      { source: "east", target: "north", gateway: false },
    ];
    const mesh = await mockedMesh({ manage, clusters, links, linkerdCheck: true });
    deepEqual(
      mesh.resources.map(({ type, name }) => `${type} ${name}`).toSorted(),
      [`${types.mesh} mesh`, `${types.mirrors} east`, `${types.mirrors} north`].sort(),
    );
    deepEqual(mesh.said, []);
    for (const { dependencies, parent, provider } of mesh.ofType(types.mirrors))
      deepEqual([dependencies, parent, provider], [[], `${types.mesh} mesh`, ""]);
    deepEqual(mesh.inputs(types.mirrors, "north"), {
      ...{ source: "north", stack: "mesh/test", links: [{ source: "north", target: "west" }] },
      clusters: { west: { context: "k3d-west" }, north: { context: "north" } },
      statusIn: "linkerd-multicluster",
    });
  });

  it("is nothing at all without links", async () => {
    equal((await mockedMesh({ manage, clusters })).order.length, 0);
  });
});
