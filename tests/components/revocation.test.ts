import { deepEqual, equal } from "node:assert/strict";
import { type MockedMesh, mockedMesh, types } from "./mocked-mesh.ts";

const type = types.revocation;
const clusters = { west: null, north: null, east: { context: "k3d-east", revoked: true } };
const links = [
  { source: "east", target: "west" },
  { source: "north", target: "east" },
  { source: "north", target: "west" },
];

/** Returns `kind name` of every resource that is named after a cluster or one of its links. */
const about = (mesh: MockedMesh, cluster: string): string[] =>
  mesh.resources
    .filter(({ name }) => new RegExp(`(^|/)${cluster}($|[-/])`).test(name))
    .map((each) => `${each.type.split(":").at(-1) ?? ""} ${each.name}`)
    .toSorted();

describe("a revoked cluster", function () {
  this.timeout(30_000);
  let mesh: MockedMesh;

  before(async () => {
    mesh = await mockedMesh({ manage: "links", clusters, links });
  });

  it("keeps only its provider registered, which reaches nothing", () => {
    deepEqual(about(mesh, "east"), ["Cluster east", "Revocation east", "kubernetes east"]);
    const { kubeconfig, ...inputs } = mesh.inputs(types.provider, "east");
    deepEqual(inputs, {
      context: "k3d-east",
      clusterIdentifier: "east",
      deleteUnreachable: "true",
      skipUpdateUnreachable: "true",
    });
    deepEqual(JSON.parse(String(kubeconfig)), {
      apiVersion: "v1",
      kind: "Config",
      clusters: [],
      contexts: [],
    });
    // Without this, Pulumi would find another resource, and not the provider that state names.
    equal(mesh.resource(types.provider, "east").parent, `${types.cluster} east`);
  });

  it("loses access to all remaining clusters once their identities are confirmed", () => {
    const target = (context: string) => ({ context, uid: `uid-of-${context}` });
    const targets = { west: target("west"), north: target("north") };
    deepEqual(mesh.inputs(type, "east")["targets"], targets);
    deepEqual(mesh.needs(type, "east").toSorted(), [
      `${types.identity} north`,
      `${types.identity} west`,
    ]);
  });

  it("keeps its revocation due in clusters to which another name leads too", async () => {
    const found = { twins: new Map([["west", "it is north"]]) };
    const twin = await mockedMesh({ manage: "links", clusters, links }, { found });
    const { west, north } = twin.inputs(type, "east")["targets"] as Record<string, object>;
    deepEqual([west, north], [{ context: "west" }, { context: "north", uid: "uid-of-north" }]);
  });

  it("is excluded from the checks at the end", () => {
    const { mesh: checked } = mesh.inputs(types.health, "checks");
    equal(JSON.stringify(checked).includes("east"), false);
  });

  it("keeps its charts registered until its config goes, but no issuer", async () => {
    const all = await mockedMesh({ clusters, links });
    const charts = ["east-linkerd-control-plane", "east-linkerd-crds", "east-linkerd-multicluster"];
    deepEqual(about(all, "east"), [
      ...["Cluster east", ...charts.map((name) => `Release ${name}`)],
      ...["Revocation east", "kubernetes east"],
    ]);
    for (const name of charts) {
      const { retainOnDelete, provider } = all.resource(types.release, name);
      deepEqual([retainOnDelete, provider], [true, "east"]);
    }
  });
});

describe("a revoked link", function () {
  this.timeout(30_000);

  it("isn't created, and the rest of its source waits until its access has ended", async () => {
    const mesh = await mockedMesh({
      manage: "links",
      clusters: { west: null, north: null, east: null },
      links: [
        { source: "east", target: "west", revoked: true },
        { source: "east", target: "north" },
        { source: "north", target: "west" },
      ],
    });
    deepEqual(about(mesh, "west").includes("LinkAccount east/west"), false);
    deepEqual(mesh.inputs(types.mirrors, "east")["revokedTargets"], ["west"]);
    // The children of a component are registered after it.
    const waits = mesh.resources
      .filter(({ dependencies }) => dependencies.includes(`${type} east`))
      .map((each) => `${each.type.split(":").at(-1) ?? ""} ${each.name}`);
    deepEqual(waits.toSorted(), ["Health checks", "LinkCredentials east/north", "Mirrors east"]);
  });
});
