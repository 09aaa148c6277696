import { deepEqual, equal, ok } from "node:assert/strict";
import { meshOf, type MockedMesh, mockedMesh, gatewayOf, types } from "./mocked-mesh.ts";
import { meshIn } from "../../engine/health/health-mesh.ts";

const clusters = {
  west: { context: "k3d-west", apiServer: "https://west:6443" },
  east: { context: "k3d-east", uid: "uid-of-east", kubeconfig: "/home/me/east.yaml" },
  north: null,
};
const links = [
  { source: "east", target: "west" },
  { source: "north", target: "east", gateway: false },
];
const manage = "links";
const annotation = 'metadata.annotations["pulumi.com/patchForce"]';

describe("Mesh with manage: links", () => {
  let mesh: MockedMesh;

  before(async () => {
    mesh = await mockedMesh({ manage, clusters, links });
  });

  it("installs nothing and creates no keys", () => {
    const installed = /^(tls|command):|:Release |:Namespace /;
    deepEqual([mesh.order.filter((each) => installed.test(each)), mesh.said], [[], []]);
  });

  it("keeps the credentials of an unreachable source, and replaces no token for it", async () => {
    const { ofType, inputs, resource } = await meshOf(mesh.config, { unreachable: ["east"] });
    deepEqual(resource(types.linkCr, "east/west").ignoreChanges, ["*"]);
    const kept = (name: string) => (name.endsWith("/destination") ? [annotation] : []);
    for (const { name, provider, ignoreChanges } of ofType(types.secret))
      deepEqual(
        ignoreChanges,
        provider === "east" && !name.endsWith("/token") ? ["*"] : kept(name),
        name,
      );
    equal(inputs(types.target, "east/west")["sourceUnreachable"], true);
    equal(inputs(types.target, "north/east")["sourceUnreachable"], undefined);
  });

  it("reads the target through its own context, and uses the config's API server", () => {
    const { access, apiServer, sourceAccess } = mesh.inputs(types.target, "east/west");
    deepEqual([access, apiServer], [{ context: "k3d-west" }, "https://west:6443"]);
    deepEqual(sourceAccess, { context: "k3d-east", kubeconfig: "/home/me/east.yaml" });
    deepEqual(mesh.inputs(types.target, "north/east")["apiServer"], undefined);
  });

  it("writes mirrors after the credentials, with the actual gateway and the Link for status", () => {
    deepEqual(mesh.inputs(types.mirrors, "east"), {
      source: "east",
      stack: "organization/mesh/test",
      links: [mesh.config.links[0]?.declared],
      clusters: {
        west: { context: "k3d-west" },
        east: { context: "k3d-east", kubeconfig: "/home/me/east.yaml", uid: "uid-of-east" },
      },
      statusIn: "linkerd-multicluster",
      observedGateways: { west: gatewayOf("west") },
    });
    equal(mesh.resource(types.mirrors, "east").parent, `${types.mesh} mesh`);
    const flat = mesh.inputs(types.mirrors, "north");
    deepEqual([flat["statusIn"], flat["observedGateways"]], ["linkerd-multicluster", {}]);
  });

  it("writes mirrors after the credentials of every link into their cluster", async () => {
    const hub = await mockedMesh({ manage, clusters, topology: { hub: "east" } });
    const needed = ["east/north", "east/west"].flatMap((link) => [
      `${types.secret} ${link}/destination`,
      `${types.secret} ${link}/mirror`,
      `${types.linkCr} ${link}`,
      `${types.target} ${link}`,
    ]);
    const [mirrors, at] = [`${types.mirrors} east`, (id: string) => hub.order.indexOf(id)];
    ok(needed.every((id) => hub.order.includes(id) && at(id) < at(mirrors)));
    deepEqual(hub.needs(types.mirrors, "east"), [`${types.identity} east`]);
    const { observedGateways } = hub.inputs(types.mirrors, "east");
    deepEqual(observedGateways, { north: gatewayOf("north"), west: gatewayOf("west") });
  });
});

describe("Mesh with manage: links, where a link adopts what exists", () => {
  it("updates existing objects of that link only, whoever wrote their fields", async () => {
    const [first = {}, ...others] = links;
    const mesh = await mockedMesh({
      manage,
      clusters,
      links: [{ ...first, adopt: true }, ...others],
    });
    const upserts = mesh.names(types.provider).map((name) => {
      return [name, mesh.inputs(types.provider, name)["upsertExistingObjects"]];
    });
    deepEqual(upserts, [
      ["east", "true"],
      ["north", undefined],
      ["west", "true"],
    ]);
    const forced = mesh.resources.filter(({ inputs: { metadata } }) =>
      JSON.stringify(metadata ?? {}).includes("patchForce"),
    );
    deepEqual(forced.map(({ name }) => name).toSorted(), [
      ...Array<string>(4).fill("east/west"),
      "east/west/destination",
      "east/west/mirror",
      "east/west/token",
    ]);
    const [{ spec } = {}] = mesh.config.links;
    const owner = "organization/mesh/test east/west";
    const adopted = { spec, mirroring: "pulumi", owner };
    deepEqual(mesh.inputs(types.target, "east/west")["adopt"], adopted);
    const { links: out } = mesh.inputs(types.identity, "east");
    deepEqual((out as { readonly adopted: unknown }).adopted, { "east/west": [] });
  });

  it("touches nothing in an unreachable or refused source", async () => {
    const config = { manage, clusters, links, linkDefaults: { adopt: true } };
    const { inputs } = await mockedMesh(config, { unreachable: ["east"] });
    const adopts = (name: string) => inputs(types.target, name)["adopt"] !== undefined;
    deepEqual(["east/west", "north/east"].map(adopts), [false, true]);
  });
});

it("Mesh with manage: links creates credentials and Link where Linkerd's controller mirrors, and waits for them", async () => {
  const controlled = { source: "east", target: "north", mirroring: "controller" };
  const mesh = await mockedMesh({ manage, clusters, links: [...links, controlled] });
  const { controllerLinks, observedGateways } = mesh.inputs(types.mirrors, "east");
  deepEqual([controllerLinks, observedGateways], [["north"], { west: gatewayOf("west") }]);
  const link = `${types.linkCr} east/north`;
  ok(mesh.order.indexOf(`${types.mirrors} east`) > mesh.order.indexOf(link));
  equal(mesh.needs(types.health, "checks").includes(link), true);
  const { mesh: described } = mesh.inputs(types.health, "checks");
  deepEqual(
    meshIn(described as string).links.map(({ mirroring }) => mirroring),
    ["pulumi", "pulumi", "controller"],
  );
});
