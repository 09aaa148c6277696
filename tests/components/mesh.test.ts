import { deepEqual, equal } from "node:assert/strict";
import { type MockedMesh, mockedMesh, types } from "./mocked-mesh.ts";

const clusters = { west: { context: "k3d-west" }, east: { context: "k3d-east" }, north: null };
const access = {
  west: { context: "k3d-west" },
  east: { context: "k3d-east" },
  north: { context: "north" },
};
const manage = "mirrors";
/** The project and stack of Pulumi's mocks. */
const stack = "mesh/test";

describe("Mesh with manage: mirrors", () => {
  describe("two links into one cluster, and one into another", () => {
    let mesh: MockedMesh;

    before(async () => {
      const links = [
        { source: "east", target: "west", headless: true },
        { source: "north", target: "west" },
        { source: "east", target: "north", gateway: false },
      ];
      mesh = await mockedMesh({ manage, clusters, links, linkerdCheck: true });
    });

    it("is one resource for each cluster that mirrors appear in, and nothing else", () => {
      deepEqual(mesh.all.toSorted(), [
        `${types.mesh} mesh`,
        `${types.mirrors} east`,
        `${types.mirrors} north`,
      ]);
      deepEqual(mesh.said, []);
    });

    it("mirrors hang on the mesh", () => {
      const parents = mesh.ofType(types.mirrors).map(({ parent }) => parent);
      deepEqual(new Set(parents), new Set([`${types.mesh} mesh`]));
    });

    it("mirrors know the links into their cluster, these links' clusters and the stack", () => {
      const statusIn = "linkerd-multicluster";
      deepEqual(mesh.inputs(types.mirrors, "east"), {
        source: "east",
        stack,
        clusters: access,
        links: [
          { source: "east", target: "west", headless: true },
          { source: "east", target: "north", gateway: false, selector: {} },
        ],
        statusIn,
      });
      const { west, north } = access;
      deepEqual(mesh.inputs(types.mirrors, "north"), {
        source: "north",
        stack,
        clusters: { west, north },
        links: [{ source: "north", target: "west" }],
        statusIn,
      });
    });

    it("waits for nothing", () => {
      deepEqual([...new Set(mesh.resources.flatMap(({ dependencies }) => dependencies))], []);
    });

    it("needs no plugin but Node's own", () => {
      const plugins = new Set(mesh.order.map((each) => each.split(":")[0]));
      deepEqual([...plugins], ["pulumi-nodejs"]);
      deepEqual([...new Set(mesh.resources.map(({ provider }) => provider))], [""]);
    });
  });

  it("a topology mesh of three is three resources, each with two links of its own", async () => {
    const mesh = await mockedMesh({ manage, clusters, topology: "mesh" });
    equal(mesh.ofType(types.link).length, 0);
    deepEqual(
      mesh.ofType(types.mirrors).map(({ name, inputs }) => [name, targetsOf(inputs["links"])]),
      [
        ["west", ["east", "north"]],
        ["east", ["west", "north"]],
        ["north", ["west", "east"]],
      ],
    );
  });

  it("passes on the UID that the config expects of a cluster, and how it is reached", async () => {
    const mesh = await mockedMesh({
      manage,
      clusters: { ...clusters, west: { context: "k3d-west", uid: "uid-of-west" } },
      links: [{ source: "east", target: "west" }],
    });
    deepEqual(mesh.inputs(types.mirrors, "east")["clusters"], {
      west: { context: "k3d-west", uid: "uid-of-west" },
      east: access.east,
    });
  });

  it("lets mirrors of removed links go where linkDefaults allows deletions", async () => {
    const mesh = await mockedMesh({
      ...{ manage, clusters, linkDefaults: { allowDeletions: true } },
      links: [
        { source: "east", target: "west" },
        { source: "north", target: "west", allowDeletions: false },
      ],
    });
    deepEqual(
      ["east", "north"].map((name) => mesh.inputs(types.mirrors, name)["allowDeletions"]),
      [true, true],
    );
    const { links } = mesh.inputs(types.mirrors, "north");
    deepEqual(links, [{ source: "north", target: "west" }]);
  });

  it("clusters without links are no resources at all", async () => {
    deepEqual((await mockedMesh({ manage, clusters })).all, [`${types.mesh} mesh`]);
  });
});

function targetsOf(links: unknown): string[] {
  return (links as readonly { readonly target: string }[]).map(({ target }) => target);
}
