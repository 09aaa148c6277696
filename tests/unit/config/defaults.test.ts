import { deepEqual } from "node:assert/strict";
import type { LinkSpec } from "../../../engine/mirroring/model/link.ts";
import { configOf, linkOf, type Raw } from "./table.ts";

const linkerds = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };

const plain: LinkSpec = {
  source: "east",
  target: "west",
  targetDomain: "cluster.local",
  privateUnlessListed: false,
  gateway: linkerds,
  headless: false,
  selector: { matchLabels: { "mirror.linkerd.io/exported": "true" } },
  remoteDiscoverySelector: { matchLabels: { "mirror.linkerd.io/exported": "remote-discovery" } },
  federatedServiceSelector: { matchLabels: { "mirror.linkerd.io/federated": "member" } },
  names: "{service}-{target}",
  formerNames: "keep",
  mirrorNamespaces: {},
  namespaces: ["*"],
  excludedNamespaces: [
    ...["kube-*", "linkerd", "linkerd-multicluster", "linkerd-jaeger", "linkerd-viz"],
  ],
  excludedLabels: [],
  excludedAnnotations: [],
  copiedMetadata: [],
  createNamespaces: false,
  readiness: "ignore",
  gatewayProbe: false,
  maxDeletions: "50%",
  allowDeletions: false,
  maxMirrors: 5_000,
  unreachable: "keep",
  adoptFrom: [],
};

const app = { matchLabels: { app: "a" } };
const terms = { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] } as const;
const west = (keys: Raw): Raw => ({ clusters: { west: keys, east: null } });
const defaults = (linkDefaults: Raw): Raw => ({ linkDefaults });
const gateway = (more: object) => ({ gateway: { ...linkerds, ...more } });

describe("stack config: a link's settings", () => {
  const every = {
    headless: true,
    createNamespaces: true,
    readiness: "follow",
    gatewayProbe: true,
    allowDeletions: true,
    unreachable: "fail",
    maxDeletions: 0,
    maxMirrors: 7,
    selector: app,
    remoteDiscoverySelector: terms,
    federatedServiceSelector: {},
    excludedLabels: ["a/*", "b"],
    excludedAnnotations: ["c"],
    copiedMetadata: ["prometheus.io/*"],
    namespaces: ["team-*"],
    excludedNamespaces: [],
    gateway: { name: "gw", namespace: "infra", allowedAddresses: ["192.0.2.0/24"] },
  };
  for (const [how, keys] of Object.entries({ "no key": {}, "every key": every }))
    it(`come from the link or linkDefaults with ${how}`, () => {
      deepEqual(linkOf(keys).spec, { ...plain, ...keys });
      deepEqual(linkOf({}, defaults(keys)).spec, { ...plain, ...keys });
    });

  const flat = { gateway: false } as const;
  const isPrivate = { privateUnlessListed: true };
  const overrides = { addresses: ["192.0.2.1", "Gw.Example.com"], port: 4143, identity: "gw.svc" };
  /** The link's keys, the rest of the config, and how the result differs from `plain`. */
  const rows: readonly (readonly [string, Raw, Raw, Partial<LinkSpec>])[] = [
    ["take the target's domain", {}, west({ clusterDomain: "w.net" }), { targetDomain: "w.net" }],
    ["take whether the target is private", {}, west(isPrivate), isPrivate],
    [
      "take the gateway's and excluded namespaces from the mesh",
      {},
      { multiclusterNamespace: "mc", linkerdNamespace: "mesh" },
      {
        ...gateway({ namespace: "mc" }),
        excludedNamespaces: ["kube-*", "mesh", "mc", "linkerd-jaeger", "linkerd-viz"],
      },
    ],
    ["take a gateway from the link", { gateway: overrides }, {}, gateway(overrides)],
    ["select nothing for the gateway on a flat network", flat, {}, { ...flat, selector: {} }],
    ["take a gateway from the target", {}, west({ gateway: { port: 1 } }), gateway({ port: 1 })],
    [
      "replace the target's gateway as a whole by the link's",
      { gateway: { identity: "a" } },
      west({ gateway: { port: 1 } }),
      gateway({ identity: "a" }),
    ],
    [
      "prefer the target's gateway over linkDefaults",
      {},
      { ...west({ gateway: { port: 1 } }), ...defaults(flat) },
      gateway({ port: 1 }),
    ],
    [
      "take linkDefaults' gateway last",
      {},
      defaults({ gateway: { port: 2 } }),
      gateway({ port: 2 }),
    ],
    [
      "ignore gateway.enabled of the target",
      {},
      { ...west({ gateway: { enabled: true } }), ...defaults({ gateway: { port: 2 } }) },
      gateway({ port: 2 }),
    ],
    [
      "take the target's gateway without enabled",
      {},
      west({ gateway: { enabled: true, port: 1 } }),
      gateway({ port: 1 }),
    ],
    ["have no gateway if the target has none", {}, west(flat), { ...flat, selector: {} }],
    ["have Linkerd's gateway if the link asks for it", { gateway: {} }, west(flat), {}],
    [
      "prefer the link over linkDefaults",
      { headless: false, maxDeletions: "1%" },
      defaults({ headless: true, maxDeletions: 3 }),
      { maxDeletions: "1%" },
    ],
    [
      "ignore linkDefaults for gateway mirrors on a flat network",
      flat,
      defaults({ headless: true, selector: app, gatewayProbe: true }),
      { ...flat, selector: {} },
    ],
    [
      "have no probe with Linkerd's controller",
      { gatewayProbe: true, mirroring: "controller" },
      { manage: "links" },
      {},
    ],
  ];
  for (const [name, keys, others, spec] of rows)
    it(name, () => {
      deepEqual(linkOf(keys, others).spec, { ...plain, ...spec });
    });

  it("take mirroring and rotation from the link or linkDefaults", () => {
    const controller = defaults({ mirroring: "controller" });
    const all = [linkOf({}), linkOf({}, controller), linkOf({ mirroring: "pulumi" }, controller)];
    deepEqual(
      all.map(({ mirroring }) => mirroring),
      ["pulumi", "controller", "pulumi"],
    );
    deepEqual(linkOf({}).rotation, { generation: 1, maxAgeDays: 90 });
    const rotated = { credentialsGeneration: 2, credentialsMaxAge: 7 };
    deepEqual(linkOf(rotated).rotation, { generation: 2, maxAgeDays: 7 });
  });
});

describe("stack config: a cluster's settings", () => {
  it("have defaults", () => {
    deepEqual(configOf({ clusters: { west: null } }).clusters.get("west"), {
      name: "west",
      access: { context: "west" },
      gateway: linkerds,
      values: {},
      failover: {},
      privateUnlessListed: false,
      clusterDomain: "cluster.local",
      adopt: false,
      gatewayApi: "install",
      trustDomain: "cluster.local",
      isTrustDomainSet: false,
    });
  });

  it("come from the config", () => {
    const access = { context: "arn:aws:eks:eu-west-1:1:cluster/w", kubeconfig: "/home/me/w.yaml" };
    const rest = {
      clusterDomain: "west.local",
      trustDomain: "west.example",
      gateway: false,
      privateUnlessListed: true,
      apiServer: "https://west.example.com:6443",
      uid: "6d5d8d5a-kube-system",
      failover: {},
      values: { "linkerd-control-plane": { proxy: { resources: null } } },
      adopt: true,
      gatewayApi: "assume",
    };
    const { clusters } = configOf({ clusters: { west: { ...access, ...rest } } });
    deepEqual(clusters.get("west"), { name: "west", access, ...rest, isTrustDomainSet: true });
  });

  const east = { trustDomain: "east.example" };
  for (const [name, raw, ofWest, ofEast] of [
    ["the default", {}, ["cluster.local", false], ["cluster.local", false]],
    ["the mesh", { trustDomain: "a.b" }, ["a.b", true], ["a.b", true]],
    ["the cluster", { east }, ["cluster.local", false], ["east.example", true]],
    ["both", { trustDomain: "a.b", east }, ["a.b", true], ["east.example", true]],
  ] as const)
    it(`take the trust domain from ${name}, never from the cluster domain`, () => {
      const { east: own = null, ...others } = { east: undefined, ...raw };
      const clusters = { west: { clusterDomain: "west.local" }, east: own };
      const found = [...configOf({ clusters, ...others }).clusters.values()];
      deepEqual(
        found.map(({ trustDomain, isTrustDomainSet }) => [trustDomain, isTrustDomainSet]),
        [ofWest, ofEast],
      );
    });
});

describe("stack config: the mesh", () => {
  it("has defaults for everything but clusters", () => {
    const { clusters: known, ...rest } = configOf({});
    deepEqual([...known.keys()], ["west", "east"]);
    deepEqual(rest, {
      manage: "all",
      linkerdCheck: false,
      linkerdNamespace: "linkerd",
      multiclusterNamespace: "linkerd-multicluster",
      links: [],
      sources: new Set(["west", "east"]),
      removedLinks: { allowDeletions: false },
      revoked: { clusters: new Map(), links: [] },
      trust: {
        kind: "generated",
        generation: 1,
        unknownAnchors: "keep",
        ignorePods: [],
        anchorValidityDays: 3650,
        issuerValidityDays: 365,
        renewBeforeDays: 60,
      },
      charts: {
        version: "2026.8.3",
        source: "https://helm.linkerd.io/edge",
        timeoutSeconds: 600,
        crds: {},
        controlPlane: {},
        multicluster: {},
      },
    });
  });
});
