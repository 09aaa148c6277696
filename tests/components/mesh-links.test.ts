import { deepEqual, equal } from "node:assert/strict";
import { isSecret, redacted, unwrapped } from "./mocked-stack.ts";
import { meshOf, type MockedMesh, mockedMesh, gatewayOf, tokenOf, types } from "./mocked-mesh.ts";

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

/** `kind name` of all that go through the provider of that name. */
const through = (mesh: MockedMesh, provider: string): string[] =>
  mesh.resources
    .filter((each) => each.type.startsWith("kubernetes:") && each.provider === provider)
    .map(({ type, name }) => `${type.split(":").at(-1) ?? ""} ${name}`)
    .toSorted();

describe("Mesh with manage: links", () => {
  let mesh: MockedMesh;

  before(async () => {
    mesh = await mockedMesh({ manage, clusters, links });
  });

  it("every cluster is known by its UID before anything is asked of it, and has one provider", () => {
    const { identity, provider } = types;
    deepEqual(
      ["west", "east", "north"].map((name) => mesh.inputs(identity, name)),
      [
        { cluster: "west", context: "k3d-west", uid: "uid-of-west" },
        { cluster: "east", context: "k3d-east", uid: "uid-of-east", expected: "uid-of-east" },
        { cluster: "north", context: "north", uid: "uid-of-north" },
      ],
    );
    const providers = mesh.ofType(provider);
    deepEqual(providers.map(({ name }) => name).toSorted(), ["east", "north", "west"]);
    for (const { name, dependencies, parent, inputs } of providers) {
      deepEqual([...dependencies], [`${identity} ${name}`]);
      equal(parent, `${types.cluster} ${name}`);
      equal(inputs["clusterIdentifier"], name);
    }
    equal(mesh.inputs(provider, "east")["kubeconfig"], "/home/me/east.yaml");
  });

  it("installs nothing, and makes no keys", () => {
    const installed = /^(tls|command):|:Release |:Namespace /;
    deepEqual(
      mesh.order.filter((each) => installed.test(each)),
      [],
    );
    deepEqual(mesh.said, []);
  });

  it("access is made in the target, credentials and Link in the source", () => {
    deepEqual(through(mesh, "west"), [
      "ClusterRole east/west",
      "ClusterRoleBinding east/west",
      "Secret east/west/token",
      "ServiceAccount east/west",
    ]);
    deepEqual(through(mesh, "east"), [
      "ClusterRole north/east",
      "ClusterRoleBinding north/east",
      "Link east/west",
      "Secret east/west/destination",
      "Secret east/west/mirror",
      "Secret north/east/token",
      "ServiceAccount north/east",
    ]);
    deepEqual(through(mesh, "north"), [
      "Link north/east",
      "Secret north/east/destination",
      "Secret north/east/mirror",
    ]);
    deepEqual(through(mesh, ""), []);
  });

  it("each side waits for its own cluster", () => {
    deepEqual(mesh.needs(types.access, "east/west"), [`${types.identity} west`]);
    deepEqual(mesh.needs(types.credentials, "east/west"), [`${types.identity} east`]);
    const parents = [types.access, types.credentials].map(
      (type) => mesh.resource(type, "east/west").parent,
    );
    deepEqual([...new Set(parents)], [`${types.link} east/west`]);
  });

  it("a source that can't be reached keeps its credentials, and no token is replaced for it", async () => {
    const { ofType, inputs, resource } = await meshOf(mesh.config, false, ["east"]);
    deepEqual(resource(types.linkCr, "east/west").ignoreChanges, ["*"]);
    for (const { name, provider, ignoreChanges } of ofType(types.secret))
      deepEqual(ignoreChanges, provider === "east" && !name.endsWith("/token") ? ["*"] : [], name);
    equal(inputs(types.target, "east/west")["sourceUnreachable"], true);
    equal(inputs(types.target, "north/east")["sourceUnreachable"], undefined);
  });

  it("asks the target through its own context, and for the API server that the config names", () => {
    const { access, apiServer, source, sourceAccess, target } = mesh.inputs(
      types.target,
      "east/west",
    );
    deepEqual(
      { access, apiServer, source, sourceAccess, target },
      {
        access: { context: "k3d-west" },
        apiServer: "https://west:6443",
        source: "east",
        sourceAccess: { context: "k3d-east", kubeconfig: "/home/me/east.yaml" },
        target: "west",
      },
    );
    deepEqual(mesh.inputs(types.target, "north/east")["apiServer"], undefined);
  });

  it("mirrors come after the credentials, with the gateway as it is and where status goes", () => {
    deepEqual(mesh.inputs(types.mirrors, "east"), {
      source: "east",
      stack: "mesh/test",
      clusters: {
        west: { context: "k3d-west" },
        east: { context: "k3d-east", kubeconfig: "/home/me/east.yaml", uid: "uid-of-east" },
      },
      links: [{ source: "east", target: "west" }],
      statusIn: "linkerd-multicluster",
      observedGateways: { west: gatewayOf("west") },
    });
    deepEqual(
      mesh.needs(types.mirrors, "east"),
      [
        ...credentialsOf("east/west"),
        `${types.identity} east`,
        `${types.target} east/west`,
      ].toSorted(),
    );
    equal(mesh.resource(types.mirrors, "east").parent, `${types.mesh} mesh`);
    const flat = mesh.inputs(types.mirrors, "north");
    deepEqual([flat["statusIn"], flat["observedGateways"]], ["linkerd-multicluster", {}]);
  });

  it("they come after the credentials of every link into their cluster", async () => {
    const hub = await mockedMesh({
      ...{ manage, clusters: { west: null, east: null, north: null } },
      ...{ topology: { hub: "east" }, multiclusterNamespace: "mc" },
    });
    const targets = ["north", "west"];
    const needed = targets.flatMap((target) => [
      ...credentialsOf(`east/${target}`),
      `${types.target} east/${target}`,
    ]);
    deepEqual(hub.needs(types.mirrors, "east"), [...needed, `${types.identity} east`].toSorted());
    const { statusIn, observedGateways } = hub.inputs(types.mirrors, "east");
    equal(statusIn, "mc");
    deepEqual(observedGateways, { north: gatewayOf("north"), west: gatewayOf("west") });
  });

  it("hands the token on as a secret, and shows it nowhere", () => {
    const all = (read: (inputs: unknown) => unknown): string =>
      JSON.stringify(mesh.resources.map(({ inputs }) => read(inputs)));
    for (const link of ["east/west", "north/east"]) {
      for (const part of ["mirror", "destination"]) {
        const { data } = mesh.inputs(types.secret, `${link}/${part}`);
        const { kubeconfig = "" } = unwrapped(data) as Readonly<Record<string, string>>;
        equal(Buffer.from(kubeconfig, "base64").toString().includes(tokenOf(link)), true);
        const isMarked = isSecret(data) || Object.values(data as object).every(isSecret);
        equal(isMarked, true, `${link}/${part}`);
        equal(all(redacted).includes(kubeconfig), false);
      }
      const forms = [tokenOf(link), Buffer.from(tokenOf(link)).toString("base64")];
      for (const form of forms) equal(all(redacted).includes(form), false);
    }
  });

  it("no two resources have one name", () => {
    const urns = mesh.resources.map(({ type, name, parent }) => `${parent} > ${type} ${name}`);
    equal(new Set(urns).size, urns.length);
  });
});

describe("Mesh with manage: links, where Linkerd's controller mirrors", () => {
  let mesh: MockedMesh;

  before(async () => {
    const controlled = links.map((link) =>
      link.source === "east" ? { ...link, mirroring: "controller" } : link,
    );
    mesh = await mockedMesh({ manage, clusters, links: controlled });
  });

  it("has access, credentials and Link, and a resource that knows whose the mirrors are", () => {
    for (const type of [types.access, types.credentials, types.link, types.linkCr])
      equal(mesh.ofType(type).filter(({ name }) => name === "east/west").length, 1, type);
    deepEqual(
      mesh
        .ofType(types.mirrors)
        .map(({ name, inputs }) => [name, inputs["links"], inputs["controllerLinks"]]),
      [
        ["north", [{ source: "north", target: "east", gateway: false, selector: {} }], undefined],
        ["east", [], ["west"]],
      ],
    );
  });

  it("is known to the mirrors as the controller's, and they wait for its credentials too", async () => {
    const mixed = [
      { source: "east", target: "west" },
      { source: "east", target: "north", mirroring: "controller" },
    ];
    const other = await mockedMesh({ manage, clusters, links: mixed });
    const { controllerLinks, observedGateways, ...inputs } = other.inputs(types.mirrors, "east");
    deepEqual(inputs["links"], [{ source: "east", target: "west" }]);
    deepEqual(Object.keys(Object(inputs["clusters"]) as object).toSorted(), ["east", "west"]);
    deepEqual([controllerLinks, observedGateways], [["north"], { west: gatewayOf("west") }]);
    const needs = other.needs(types.mirrors, "east");
    deepEqual(
      ["west", "north"].map((target) => needs.includes(`${types.linkCr} east/${target}`)),
      [true, true],
    );
  });

  it("health still waits for it, and expects a controller there", () => {
    const needs = mesh.needs(types.health, "health");
    equal(needs.includes(`${types.linkCr} east/west`), true);
    const { mesh: described } = mesh.inputs(types.health, "health");
    const { links: seen } = described as { readonly links: readonly { mirroring: string }[] };
    deepEqual(
      seen.map(({ mirroring }) => mirroring),
      ["controller", "pulumi"],
    );
  });
});

/** What a link's credentials consist of. */
function credentialsOf(link: string): string[] {
  return [
    `${types.secret} ${link}/destination`,
    `${types.secret} ${link}/mirror`,
    `${types.linkCr} ${link}`,
  ].toSorted();
}
