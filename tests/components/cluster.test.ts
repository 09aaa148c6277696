import { deepEqual, equal, match } from "node:assert/strict";
import { linkerdNamespace, multiclusterNamespace } from "../../components/charts/values.ts";
import { type MockedMesh, mockedMesh, types } from "./mocked-mesh.ts";
import { isSecret, unwrapped, valueOf } from "./mocked-stack.ts";

const { identity, provider, namespace, secret, release } = types;
const clusters = { west: { context: "k3d-west" } };

describe("Cluster", () => {
  let mesh: MockedMesh;
  before(async () => {
    mesh = await mockedMesh({ clusters });
  });

  it("installs Linkerd in three releases, each after what it needs", () => {
    const home = `${namespace} west-linkerd`;
    const charts = ["crds", "control-plane", "multicluster"];
    const [crds = "", controlPlane = "", multicluster = ""] = charts.map(
      (chart) => `${release} west-linkerd-${chart}`,
    );
    const issuer = `${secret} west-issuer`;
    const expected: Readonly<Record<string, readonly string[]>> = {
      [`${identity} west`]: [],
      [`${provider} west`]: [`${identity} west`],
      [home]: [],
      [`${namespace} west-multicluster`]: [],
      [issuer]: [home],
      [crds]: [home],
      [controlPlane]: [home, issuer, crds],
      [multicluster]: [`${namespace} west-multicluster`, controlPlane],
    };
    const made = mesh.resources.filter(({ parent }) => parent === `${types.cluster} west`);
    const own = ({ dependencies }: (typeof made)[number]) =>
      dependencies.filter((each) => each in expected).toSorted();
    deepEqual(
      Object.fromEntries(made.map((each) => [`${each.type} ${each.name}`, own(each)])),
      Object.fromEntries(Object.entries(expected).map(([id, needs]) => [id, needs.toSorted()])),
    );
  });

  it("has its own provider, identified by the cluster's name", async () => {
    deepEqual(mesh.inputs(provider, "west"), {
      clusterIdentifier: "west",
      context: "k3d-west",
      enableConfigMapMutable: "true",
      enableSecretMutable: "true",
      // Without it, the SDK would use the value of KUBECONFIG.
      kubeconfig: "",
    });
    const other = await mockedMesh({ clusters: { west: { kubeconfig: "/home/me/west.yaml" } } });
    const { kubeconfig, context } = other.inputs(provider, "west");
    deepEqual([kubeconfig, context], ["/home/me/west.yaml", "west"]);
  });

  for (const [name, keys, uid, known] of [
    ["as it is", {}, "u1", { uid: "u1" }],
    ["where it can't be read", {}, undefined, {}],
    ["as the config expects it", { uid: "u1" }, "u1", { uid: "u1", expected: "u1" }],
  ] as const)
    it(`remembers the cluster's identity, ${name}, and the links out of it`, async () => {
      const found = { uids: new Map([["west", uid]]) };
      const pair = {
        clusters: { west: keys, east: null },
        links: [{ source: "west", target: "east" }],
      };
      const { inputs, resource } = await mockedMesh(pair, { found });
      const { links, ...own } = inputs(identity, "west");
      deepEqual(own, { cluster: "west", context: "west", ...known });
      deepEqual(links, {
        access: { context: "west" },
        linkerdNamespace: "linkerd",
        multiclusterNamespace: "linkerd-multicluster",
        targets: ["east"],
        sources: [],
        stack: "organization/mesh/test",
      });
      match(String(resource(identity, "west").inputs["__provider"]), /clusterIdentities\.check/);
    });

  it("labels its namespaces", async () => {
    const names = { linkerdNamespace: "l5d", multiclusterNamespace: "mc" };
    const { inputs } = await mockedMesh({ clusters, ...names });
    deepEqual(
      ["linkerd", "multicluster"].map((part) => inputs(namespace, `west-${part}`)["metadata"]),
      [
        { name: "l5d", ...linkerdNamespace("l5d", {}) },
        { name: "mc", ...multiclusterNamespace({}) },
      ],
    );
  });

  it("keeps its issuer in a Secret with an encrypted key, and trusts the bundle", async () => {
    const { type, metadata, data } = mesh.inputs(secret, "west-issuer");
    deepEqual(metadata, {
      name: "linkerd-identity-issuer",
      namespace: "linkerd",
      labels: {
        "linkerd.io/control-plane-component": "identity",
        "linkerd.io/control-plane-ns": "linkerd",
      },
    });
    equal(type, "kubernetes.io/tls");
    const texts = Object.entries(unwrapped(data) as Readonly<Record<string, string>>).map(
      ([key, value]) => [key, Buffer.from(value, "base64").toString()] as const,
    );
    const { "tls.crt": certificate, "tls.key": key, ...others } = Object.fromEntries(texts);
    match(certificate ?? "", /^-----BEGIN CERTIFICATE/);
    match(key ?? "", /^-----BEGIN PRIVATE KEY/);
    equal(isSecret(data), true);
    const { west: bundle } = await valueOf(mesh.result.trustAnchors);
    deepEqual(others, { "ca.crt": bundle });
    const { values } = mesh.inputs(release, "west-linkerd-control-plane");
    deepEqual(values, {
      clusterDomain: "cluster.local",
      identityTrustDomain: "cluster.local",
      identity: { issuer: { scheme: "kubernetes.io/tls" } },
      identityTrustAnchorsPEM: bundle,
    });
  });

  it("adopts existing namespaces and an existing issuer if the config says so", async () => {
    const adopting = await mockedMesh({ clusters: { west: { adopt: true }, east: null } });
    const forced = adopting.resources.filter(({ inputs: { metadata } }) =>
      JSON.stringify(metadata ?? {}).includes("patchForce"),
    );
    deepEqual(forced.map(({ name }) => name).toSorted(), [
      "west-issuer",
      "west-linkerd",
      "west-multicluster",
    ]);
    const upsert = (name: string) => adopting.inputs(types.provider, name)["upsertExistingObjects"];
    deepEqual([upsert("west"), upsert("east")], ["true", undefined]);
  });
});
