import { deepEqual, equal, match } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import {
  gatewayOf,
  type MockedMesh,
  mockedMesh,
  previewedMesh,
  tokenOf,
  types,
} from "./mocked-mesh.ts";
import { isSecret, redacted, type Registered, unwrapped } from "./mocked-stack.ts";

const clusters = {
  west: { context: "k3d-west" },
  east: { context: "k3d-east", clusterDomain: "east.local" },
  north: null,
};
const manage = "all";
const charts = ["linkerd-control-plane", "linkerd-crds", "linkerd-multicluster"];

describe("Mesh with manage: all", () => {
  let mesh: MockedMesh;

  before(async () => {
    mesh = await mockedMesh({ manage, clusters, topology: "mesh" });
  });

  it("is one trust root, every cluster, and six links between three", () => {
    const [root] = mesh.resources;
    equal(root?.type, types.mesh);
    const children = mesh.resources
      .filter(({ parent }) => parent === `${types.mesh} mesh`)
      .map(({ type, name }) => `${type.split(":").at(-1) ?? ""} ${name}`);
    deepEqual(children.toSorted(), [
      "Cluster east",
      "Cluster north",
      "Cluster west",
      "Health health",
      ...["east/north", "east/west", "north/east", "north/west", "west/east", "west/north"].map(
        (link) => `Link ${link}`,
      ),
      "Mirrors east",
      "Mirrors north",
      "Mirrors west",
      "TrustRoot trust",
    ]);
    deepEqual(mesh.said, []);
  });

  it("Linkerd is on every cluster, under one anchor and issuers of their own", () => {
    const releases = mesh.ofType(types.release).map(({ name }) => name);
    const all = ["east", "north", "west"].flatMap((name) => charts.map((c) => `${name}-${c}`));
    deepEqual(releases.toSorted(), all);
    const values = Object.keys(clusters).map((name) => {
      const { inputs } = mesh.resource(types.release, `${name}-linkerd-control-plane`);
      return inputs["values"] as Readonly<Record<string, unknown>>;
    });
    deepEqual(
      values.map(({ clusterDomain }) => clusterDomain),
      ["cluster.local", "east.local", "cluster.local"],
    );
    const anchors = new Set(values.map((each) => each["identityTrustAnchorsPEM"]));
    match(String([...anchors]), /^-----BEGIN CERTIFICATE-----[^,]+$/);
    const issuers = Object.keys(clusters).map((name) => {
      const { data } = mesh.inputs(types.secret, `${name}-issuer`);
      return (unwrapped(data) as Readonly<Record<string, string>>)["tls.crt"];
    });
    equal(new Set(issuers).size, 3);
  });

  it("a link begins where both its clusters are ready, and its mirrors after that", () => {
    const ready = (cluster: string) => `${types.release} ${cluster}-linkerd-multicluster`;
    for (const { spec } of mesh.config.links) {
      const link = `${spec.source}/${spec.target}`;
      deepEqual(mesh.needs(types.access, link), [ready(spec.target)]);
      deepEqual(mesh.needs(types.credentials, link), [ready(spec.source)]);
      const at = (id: string): number => mesh.all.indexOf(id);
      equal(at(`${types.target} ${link}`) > at(ready(spec.target)), true);
      equal(at(`${types.linkCr} ${link}`) > at(ready(spec.source)), true);
      equal(at(`${types.mirrors} ${spec.source}`) > at(`${types.linkCr} ${link}`), true);
      const needs = mesh.needs(types.mirrors, spec.source);
      for (const needed of [`${types.linkCr} ${link}`, ready(spec.source)])
        equal(needs.includes(needed), true, needed);
    }
  });

  it("every object goes through the provider of a cluster, and the right one", () => {
    const objects = mesh.resources.filter(({ type }) => type.startsWith("kubernetes:"));
    equal(objects.length, 3 * 6 + 6 * 7);
    for (const { type, name, provider, parent } of objects) {
      const [source, target] = name.split("/");
      const isLinks = target !== undefined;
      const links = parent.startsWith(types.access) ? target : source;
      const own = isLinks ? links : name.split("-")[0];
      equal(provider, own, `${type} ${name}`);
    }
    deepEqual(
      mesh
        .ofType(types.provider)
        .map(({ name }) => name)
        .toSorted(),
      ["east", "north", "west"],
    );
  });

  it("the same cluster has the same name as with manage: links, so that its provider stays", async () => {
    const linked = await mockedMesh({ manage: "links", clusters, topology: "mesh" });
    for (const type of [types.cluster, types.identity, types.provider])
      for (const name of Object.keys(clusters)) {
        const now = mesh.resource(type, name);
        const before = linked.resource(type, name);
        deepEqual([now.parent, now.inputs], [before.parent, before.inputs]);
      }
  });

  it("shows no private key, issuer's or token, and yet passes them on", () => {
    const all = (read: (inputs: unknown) => unknown): string =>
      JSON.stringify(mesh.resources.map(({ inputs }) => read(inputs)));
    const tokens = mesh.config.links.map(({ spec }) => tokenOf(`${spec.source}/${spec.target}`));
    const plain = [/PRIVATE KEY/, ...tokens, ...tokens.map(base64)];
    for (const form of plain) equal(new RegExp(form).test(all(redacted)), false, String(form));
    equal(/PRIVATE KEY/.test(all(unwrapped)), true);
    for (const { name, inputs } of mesh.ofType(types.secret)) {
      // A token's Secret is filled by Kubernetes: the program gives it no data.
      if (name.endsWith("/token")) equal("data" in inputs || "stringData" in inputs, false);
    }
    // Kubeconfigs hold the tokens in base64 of base64, which a search for them does not see.
    const kubeconfigs = mesh.ofType(types.secret).flatMap(({ inputs }) => {
      const { kubeconfig } = unwrapped(inputs["data"] ?? {}) as { readonly kubeconfig?: string };
      return kubeconfig === undefined ? [] : [kubeconfig];
    });
    equal(kubeconfigs.length, 12);
    for (const each of kubeconfigs) equal(all(redacted).includes(each), false);
  });

  it("is there as a whole in the first preview, when no gateway is there yet", async () => {
    const previewed = await previewedMesh({ manage, clusters, topology: "mesh" });
    deepEqual(previewed.all.toSorted(), mesh.all.toSorted());
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

  it("no two resources have one name", () => {
    const urns = mesh.resources.map(({ type, name, parent }) => `${parent} > ${type} ${name}`);
    equal(new Set(urns).size, urns.length);
  });
});

describe("Mesh with manage: all, as the config says", () => {
  afterEach(() => {
    delete process.env["PULUMI_CONFIG_SECRET_KEYS"];
  });

  it("namespaces of other names reach every part", async () => {
    const mesh = await mockedMesh({
      ...{ manage, clusters, linkerdNamespace: "l5d", multiclusterNamespace: "mc" },
      links: [{ source: "east", target: "west" }],
    });
    const { linkerdNamespace, multiclusterNamespace } = mesh.inputs(types.target, "east/west");
    deepEqual([linkerdNamespace, multiclusterNamespace], ["l5d", "mc"]);
    const namespaceOf = (type: string, name: string) => {
      const { metadata } = mesh.inputs(type, name);
      return (metadata as { readonly namespace?: string }).namespace;
    };
    equal(namespaceOf(types.linkCr, "east/west"), "mc");
    equal(namespaceOf(types.secret, "east/west/mirror"), "mc");
    equal(namespaceOf(types.secret, "east/west/destination"), "l5d");
    equal(namespaceOf(types.secret, "east/west/token"), "mc");
    equal(mesh.inputs(types.mirrors, "east")["statusIn"], "mc");
  });

  it("Helm values are secrets where the stack holds clusters encrypted", async () => {
    const values = async () => {
      const mesh = await mockedMesh({ manage, clusters });
      return mesh.ofType(types.release).map(({ inputs }) => isSecret(inputs["values"]));
    };
    deepEqual(new Set(await values()), new Set([false]));
    process.env["PULUMI_CONFIG_SECRET_KEYS"] = '["linkerd-multicluster:clusters"]';
    deepEqual(new Set(await values()), new Set([true]));
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
