import { deepEqual, equal } from "node:assert/strict";
import { type MockedMesh, mockedMesh, types } from "./mocked-mesh.ts";

const clusters = { west: { context: "k3d-west" }, east: { context: "k3d-east" }, north: null };
const access = {
  west: { context: "k3d-west" },
  east: { context: "k3d-east" },
  north: { context: "north" },
};
const manage = "mirrors";

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

    it("is mirrors, federated Services, and nothing else", () => {
      deepEqual(mesh.all.toSorted(), [
        `${types.link} east/north`,
        `${types.link} east/west`,
        `${types.link} north/west`,
        `${types.mesh} mesh`,
        `${types.federated} east`,
        `${types.federated} north`,
        `${types.mirrors} east/north`,
        `${types.mirrors} east/west`,
        `${types.mirrors} north/west`,
      ]);
      deepEqual(mesh.said, []);
    });

    it("Links hang on the mesh, and mirrors on their Link", () => {
      const parents = [types.link, types.mirrors, types.federated].map((type) => [
        ...new Set(mesh.ofType(type).map(({ name, parent }) => parent.replace(name, "<name>"))),
      ]);
      deepEqual(parents, [
        [`${types.mesh} mesh`],
        [`${types.link} <name>`],
        [`${types.mesh} mesh`],
      ]);
    });

    it("mirrors know their link, the clusters and who else mirrors there", () => {
      const [west, north] = [
        { source: "east", target: "west", headless: true },
        { source: "east", target: "north", gateway: false, selector: {} },
      ];
      const inputs = (link: string) => mesh.inputs(types.mirrors, link);
      deepEqual(inputs("east/west"), { link: west, siblings: [north], clusters: access });
      deepEqual(inputs("east/north"), { link: north, siblings: [west], clusters: access });
      const alone = { source: "north", target: "west" };
      deepEqual(inputs("north/west"), { link: alone, clusters: access });
    });

    it("federated Services know every link into their cluster", () => {
      deepEqual(mesh.inputs(types.federated, "east"), {
        cluster: "east",
        links: [
          { source: "east", target: "west", headless: true },
          { source: "east", target: "north", gateway: false, selector: {} },
        ],
        clusters: access,
      });
      deepEqual(mesh.inputs(types.federated, "north"), {
        cluster: "north",
        links: [{ source: "north", target: "west" }],
        clusters: access,
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

  it("a topology mesh of three is six links, each with two clusters of its own", async () => {
    const mesh = await mockedMesh({ manage, clusters, topology: "mesh" });
    const links = mesh.ofType(types.link).map(({ name }) => name);
    deepEqual(links, [
      "west/east",
      "west/north",
      "east/west",
      "east/north",
      "north/west",
      "north/east",
    ]);
    equal(mesh.ofType(types.mirrors).length, 6);
    equal(mesh.ofType(types.federated).length, 3);
    for (const { name, inputs } of mesh.ofType(types.mirrors)) {
      const [source, target] = name.split("/");
      deepEqual(inputs["link"], { source, target });
    }
  });

  it("clusters without links are no resources at all", async () => {
    deepEqual((await mockedMesh({ manage, clusters })).all, [`${types.mesh} mesh`]);
  });
});
