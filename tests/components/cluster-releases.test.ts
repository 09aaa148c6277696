import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { chartNames } from "../../config/keys/chart-keys.ts";
import { issuerUnder } from "../unit/trust/certificates.ts";
import { live, next, old, oldIssuer, present, unreadable } from "../unit/trust/live.ts";
import { type MockedMesh, mockedMesh, types } from "./mocked-mesh.ts";

const { namespace, release, secret } = types;
const clusters = { west: null, east: null };
const targeted = { clusters, links: [{ source: "east", target: "west" }] };

type Values = Readonly<Record<string, unknown>>;

const releaseOf = ({ inputs }: MockedMesh, chart: string) => inputs(release, `west-${chart}`);

describe("Cluster: releases", () => {
  it("use pinned charts from Linkerd's repository, with fixed names", async () => {
    deepEqual(releaseOf(await mockedMesh({ clusters }), "linkerd-crds"), {
      chart: "linkerd-crds",
      compat: "true",
      name: "linkerd-crds",
      namespace: "linkerd",
      skipAwait: false,
      timeout: 600,
      version: "2026.8.3",
      repositoryOpts: { repo: "https://helm.linkerd.io/edge" },
      values: { installGatewayAPI: true },
    });
  });

  it("have several pods with ha, and the user's values take precedence", async () => {
    const values = { "linkerd-control-plane": { controllerReplicas: 5 } };
    const mesh = await mockedMesh({ clusters: { west: { ha: true, values }, east: null } });
    const valuesOf = (name: string, chart: string) =>
      mesh.inputs(release, `${name}-${chart}`)["values"] as Values;
    const controlPlane = valuesOf("west", "linkerd-control-plane");
    deepEqual([controlPlane["highAvailability"], controlPlane["controllerReplicas"]], [true, 5]);
    const { gateway } = valuesOf("west", "linkerd-multicluster");
    deepEqual(gateway, { enabled: false, replicas: 3 });
    equal(valuesOf("east", "linkerd-control-plane")["highAvailability"], undefined);
  });

  it("use other charts with the config's timeout, and the user's values take precedence", async () => {
    const source = "oci://registry.example.com/l5d";
    const charts = { version: "2026.9.1", source, timeoutSeconds: 60 };
    const values = {
      "linkerd-control-plane": { identity: { issuer: { issuanceLifetime: "48h" } }, proxy: null },
      "linkerd-multicluster": { gateway: { serviceType: "NodePort" } },
    };
    const west = { values, gatewayApi: "assume", gateway: { enabled: true } };
    const mesh = await mockedMesh({ clusters: { west }, charts });
    const { chart, version, repositoryOpts, timeout } = releaseOf(mesh, "linkerd-multicluster");
    deepEqual(
      [chart, version, repositoryOpts, timeout],
      [`${source}/linkerd-multicluster`, "2026.9.1", undefined, 60],
    );
    const { annotations } = mesh.inputs("kubernetes:core/v1:Secret", "west-issuer")["metadata"] as {
      readonly annotations?: unknown;
    };
    deepEqual(annotations, { "linkerd-multicluster/certificate-lifetime": "48h0m0s" });
    const [crds, controlPlane, multicluster] = chartNames.map(
      (name) => releaseOf(mesh, name)["values"] as Readonly<Record<string, unknown>>,
    );
    deepEqual(crds, { installGatewayAPI: false });
    const { identity, proxy } = controlPlane ?? {};
    const issuer = { scheme: "kubernetes.io/tls", issuanceLifetime: "48h" };
    deepEqual([identity, proxy], [{ issuer }, null]);
    const gateway = { enabled: true, name: "linkerd-gateway", serviceType: "NodePort" };
    deepEqual(multicluster?.["gateway"], gateway);
  });

  it("use charts that wrap Linkerd's, each with its own name and version, and a licence for every cluster", async () => {
    const license = { license: "canary" };
    const charts = {
      source: "oci://registry.example.com/l5d",
      controlPlane: {
        name: "enterprise-control-plane",
        repository: "https://helm.example.com",
        version: "2.19.1",
        nested: "linkerd-control-plane",
        values: license,
      },
      crds: { name: "enterprise-crds", values: { extra: 1 } },
    };
    const values = {
      "linkerd-control-plane": { controllerReplicas: 3 },
      "linkerd-crds": { extra: 2 },
    };
    const mesh = await mockedMesh({ clusters: { west: { values } }, charts });
    const { chart, version, repositoryOpts, ...controlPlane } = releaseOf(
      mesh,
      "linkerd-control-plane",
    );
    deepEqual(
      [chart, version, repositoryOpts],
      ["enterprise-control-plane", "2.19.1", { repo: "https://helm.example.com" }],
    );
    const { "linkerd-control-plane": nested, ...top } = controlPlane["values"] as Values;
    deepEqual(top, license);
    const { controllerReplicas, clusterDomain } = nested as Values;
    deepEqual([controllerReplicas, clusterDomain], [3, "cluster.local"]);
    const crds = releaseOf(mesh, "linkerd-crds");
    equal(crds["chart"], "oci://registry.example.com/l5d/enterprise-crds");
    deepEqual((crds["values"] as Values)["extra"], 2);
  });

  it("are awaited by Helm, except a gateway's address, which the link awaits", async () => {
    const skipped = async (keys: typeof targeted | { clusters: typeof clusters }) => {
      const mesh = await mockedMesh(keys);
      return chartNames.map((chart) => releaseOf(mesh, chart)["skipAwait"]);
    };
    deepEqual(await skipped(targeted), [false, false, true]);
    deepEqual(await skipped({ clusters }), [false, false, false]);
  });

  it("fail before any request if the folder has no charts", async () => {
    const charts = { source: "./no-such-folder" };
    await rejects(mockedMesh({ clusters, charts }), /has no chart linkerd-crds/);
  });
});

describe("Cluster: what is kept", () => {
  const kept = ({ resources }: MockedMesh) =>
    Object.fromEntries(
      resources
        .filter(({ type, provider }) => provider === "west" && type.startsWith("kubernetes:"))
        .filter(({ name }) => !name.includes("/"))
        .map(({ name, ignoreChanges }) => [name.replace("west-", ""), ignoreChanges.join()]),
    );
  const all = [
    ...["linkerd", "multicluster", "issuer"],
    ...["linkerd-crds", "linkerd-control-plane", "linkerd-multicluster"],
  ];
  const each = (value: string) => Object.fromEntries(all.map((name) => [name, value]));
  const trust = new Map([["west", unreadable]]);
  for (const [name, circumstances, expected] of [
    ["nothing of a cluster that can be read", {}, each("")],
    [
      "issuer and bundle of one whose trust can't be",
      { found: { trust } },
      {
        ...each(""),
        issuer: 'data,metadata.annotations["linkerd-multicluster/certificate-lifetime"]',
        "linkerd-control-plane": "values",
      },
    ],
    [
      "all that exists in one that can't be reached, so that no update of it fails",
      { unreachable: ["west"] },
      each("*"),
    ],
  ] as const)
    it(`is ${name}`, async () => {
      deepEqual(kept(await mockedMesh(targeted, circumstances)), expected);
    });

  it("includes trust while the config changes it too early: the rest is done, and the run fails in the end", async () => {
    const issuer = issuerUnder(next);
    const given = { certificate: issuer.pem, key: issuer.keyPem };
    const before = present([old], oldIssuer);
    const mesh = await mockedMesh(
      {
        clusters: { west: {}, east: {} },
        links: [{ source: "east", target: "west" }],
        trust: { anchors: old.pem + next.pem, issuers: { west: given, east: given } },
      },
      { found: { trust: live({ west: before, east: before }) } },
    );
    const expected = {
      ...each(""),
      issuer: 'data,metadata.annotations["linkerd-multicluster/certificate-lifetime"]',
      "linkerd-control-plane": "values",
    };
    deepEqual(kept(mesh), expected);
    deepEqual(mesh.names(types.linkCr), ["east/west"]);
    const { refused } = mesh.inputs(types.health, "checks");
    const [why, ...others] = refused as readonly string[];
    match(why ?? "", /^linkerd-multicluster:trust\.issuers\.west is signed by next /);
    equal(others.length, 1);
  });

  it("excludes what others provide for trust: issuer, bundle and their namespace", async () => {
    const { order, inputs } = await mockedMesh({
      clusters: { west: {} },
      trust: { external: true },
    });
    deepEqual(
      order.filter((id) => id.startsWith(secret) || id.startsWith(namespace)),
      [`${namespace} west-multicluster`],
    );
    const { values, namespace: home } = inputs(release, "west-linkerd-control-plane");
    deepEqual(home, "linkerd");
    deepEqual(values, {
      clusterDomain: "cluster.local",
      identityTrustDomain: "cluster.local",
      identity: { externalCA: true, issuer: { scheme: "kubernetes.io/tls" } },
    });
  });
});
