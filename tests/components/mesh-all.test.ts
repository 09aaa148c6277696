import { deepEqual, equal, match } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { chartNames } from "../../config/keys/chart-keys.ts";
import { gatewayOf, type MockedMesh, mockedMesh, tokenOf, types } from "./mocked-mesh.ts";
import { isSecret, redacted, type Registered, unwrapped } from "./mocked-stack.ts";

const clusters = {
  west: { context: "k3d-west" },
  east: { context: "k3d-east", clusterDomain: "east.local" },
  north: null,
};
const manage = "all";
const names = ["east", "north", "west"];

describe("Mesh with manage: all", () => {
  let mesh: MockedMesh;

  before(async () => {
    mesh = await mockedMesh({ manage, clusters, topology: "mesh" });
  });

  it("has one trust root, all clusters, and six links between three clusters", () => {
    const children = mesh.resources
      .filter(({ parent }) => parent === `${types.mesh} mesh`)
      .map(({ type, name }) => `${type.split(":").at(-1) ?? ""} ${name}`);
    const links = names.flatMap((source) =>
      names.filter((name) => name !== source).map((target) => `Link ${source}/${target}`),
    );
    deepEqual(children.toSorted(), [
      ...names.map((name) => `Cluster ${name}`),
      "Health checks",
      "Installed installed",
      ...links,
      ...names.map((name) => `Mirrors ${name}`),
      "TrustRoot trust",
    ]);
    deepEqual(mesh.said, []);
    const urns = mesh.resources.map(({ type, name, parent }) => `${parent} > ${type} ${name}`);
    equal(new Set(urns).size, urns.length);
  });

  it("installs Linkerd on every cluster, with one anchor and an issuer per cluster", () => {
    const all = names.flatMap((name) => chartNames.map((chart) => `${name}-${chart}`));
    deepEqual(mesh.names(types.release), all.sort());
    const values = names.map((name) => {
      const { inputs } = mesh.resource(types.release, `${name}-linkerd-control-plane`);
      return inputs["values"] as Readonly<Record<string, unknown>>;
    });
    deepEqual(
      values.map(({ clusterDomain }) => clusterDomain),
      ["east.local", "cluster.local", "cluster.local"],
    );
    const anchors = new Set(values.map((each) => each["identityTrustAnchorsPEM"]));
    match(String([...anchors]), /^-----BEGIN CERTIFICATE-----[^,]+$/);
    const issuers = names.map((name) => {
      const { data } = mesh.inputs(types.secret, `${name}-issuer`);
      return (unwrapped(data) as Readonly<Record<string, string>>)["tls.crt"];
    });
    equal(new Set(issuers).size, 3);
  });

  it("restarts workloads after everything else, only if config says so and where the run may write", async () => {
    deepEqual(mesh.names(types.restarts), []);
    const more = { manage, clusters, topology: "mesh", trust: { restart: true } };
    const restarting = await mockedMesh(more, { unreachable: ["east"] });
    const { inputs } = restarting.resource(types.restarts, "restarts");
    deepEqual(Object.keys(inputs["clusters"] as object).sort(), ["north", "west"]);
    const { order } = restarting;
    deepEqual(order.slice(-2), [`${types.restarts} restarts`, `${types.health} checks`]);
  });

  it("starts a link once both its clusters are ready, and its mirrors after that", () => {
    const ready = (cluster: string) => `${types.release} ${cluster}-linkerd-multicluster`;
    for (const { spec } of mesh.config.links) {
      const link = `${spec.source}/${spec.target}`;
      deepEqual(mesh.needs(types.access, link), [ready(spec.target)]);
      deepEqual(mesh.needs(types.credentials, link), [ready(spec.source)]);
      const at = (id: string): number => mesh.order.indexOf(id);
      equal(at(`${types.target} ${link}`) > at(ready(spec.target)), true);
      equal(at(`${types.linkCr} ${link}`) > at(ready(spec.source)), true);
      equal(at(`${types.mirrors} ${spec.source}`) > at(`${types.linkCr} ${link}`), true);
      equal(mesh.needs(types.mirrors, spec.source).includes(ready(spec.source)), true);
    }
  });

  it("sends every object through the provider of the right cluster", () => {
    const objects = mesh.resources.filter(({ type }) => type.startsWith("kubernetes:"));
    equal(objects.length, 3 * 6 + 6 * 7);
    for (const { type, name, provider, parent } of objects) {
      const [source = "", target] = name.split("/");
      const ofLink = parent.startsWith(types.access) ? target : source;
      equal(provider, target === undefined ? source.split("-")[0] : ofLink, `${type} ${name}`);
    }
    deepEqual(mesh.names(types.provider), names);
  });

  it("names a cluster as manage: links does, so that its provider stays", async () => {
    const linked = await mockedMesh({ manage: "links", clusters, topology: "mesh" });
    for (const type of [types.cluster, types.identity, types.provider])
      for (const name of names) {
        const [now, before] = [mesh, linked].map((each) => each.resource(type, name));
        deepEqual([now?.parent, now?.inputs], [before?.parent, before?.inputs]);
      }
  });

  it("shows no private key or token, and passes them on", () => {
    const all = (read: (inputs: unknown) => unknown): string =>
      JSON.stringify(mesh.resources.map(({ inputs }) => read(inputs)));
    const open = all(redacted);
    const tokens = mesh.config.links.map(({ spec }) => tokenOf(`${spec.source}/${spec.target}`));
    const encoded = tokens.map((token) => Buffer.from(token).toString("base64"));
    for (const form of ["PRIVATE KEY", ...tokens, ...encoded]) equal(open.includes(form), false);
    equal(all(unwrapped).includes("PRIVATE KEY"), true);
    // Kubeconfigs hold the tokens in base64 of base64, which a search for them does not see.
    const kubeconfigs = mesh.ofType(types.secret).flatMap(({ name, inputs }) => {
      // A token's Secret is filled by Kubernetes: the program gives it no data.
      if (name.endsWith("/token")) equal("data" in inputs || "stringData" in inputs, false);
      const { kubeconfig } = unwrapped(inputs["data"] ?? {}) as { readonly kubeconfig?: string };
      return kubeconfig === undefined ? [] : [kubeconfig];
    });
    equal(kubeconfigs.length, 12);
    for (const each of kubeconfigs) equal(open.includes(each), false);
  });

  it("appears completely in the first preview, before there is a gateway", async () => {
    const previewed = await mockedMesh({ manage, clusters, topology: "mesh" }, { preview: true });
    deepEqual(previewed.order.toSorted(), mesh.order.toSorted());
    const gateways = ({ inputs }: Registered) =>
      Object.entries(inputs["observedGateways"] as Readonly<Record<string, unknown>>);
    const isKnown = ([target, observed]: readonly [string, unknown]) =>
      isDeepStrictEqual(observed, gatewayOf(target));
    equal(mesh.ofType(types.mirrors).flatMap(gateways).filter(isKnown).length, 6);
    // Without a gateway it would be taken for a flat network, and the plan be wrong.
    const awaited = previewed.ofType(types.mirrors).flatMap(gateways);
    const isUnknown = ([, observed]: readonly [string, unknown]) =>
      Object.hasOwn(Object(observed) as object, "__pulumiUnknown");
    equal(awaited.filter(isUnknown).length, 6);
  });
});

describe("Mesh with manage: all, as the config says", () => {
  afterEach(() => {
    delete process.env["PULUMI_CONFIG_SECRET_KEYS"];
  });

  it("passes other namespaces to every part", async () => {
    const mesh = await mockedMesh({
      manage,
      clusters,
      linkerdNamespace: "l5d",
      multiclusterNamespace: "mc",
      links: [{ source: "east", target: "west" }],
    });
    const { linkerdNamespace, multiclusterNamespace } = mesh.inputs(types.target, "east/west");
    deepEqual([linkerdNamespace, multiclusterNamespace], ["l5d", "mc"]);
    const homes = [
      [types.linkCr, "east/west"],
      ...["mirror", "destination", "token"].map((part) => [types.secret, `east/west/${part}`]),
    ].map(([type = "", name = ""]) => {
      const { metadata } = mesh.inputs(type, name);
      return (metadata as { readonly namespace?: string }).namespace;
    });
    deepEqual(homes, ["mc", "mc", "l5d", "mc"]);
    equal(mesh.inputs(types.mirrors, "east")["statusIn"], "mc");
  });

  it("encrypts Helm values if the stack encrypts clusters or charts", async () => {
    const values = async () => {
      const mesh = await mockedMesh({ manage, clusters });
      return mesh.ofType(types.release).map(({ inputs }) => isSecret(inputs["values"]));
    };
    deepEqual(new Set(await values()), new Set([false]));
    for (const key of ["clusters", "charts"]) {
      process.env["PULUMI_CONFIG_SECRET_KEYS"] = JSON.stringify([`linkerd-multicluster:${key}`]);
      deepEqual(new Set(await values()), new Set([true]));
    }
  });
});
