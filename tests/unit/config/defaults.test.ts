import { deepEqual, equal } from "node:assert/strict";
import type { LinkSpec } from "../../../engine/mirroring/model/link.ts";
import { configOf, linkOf, type Raw } from "./table.ts";

const linkerdsGateway = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };

/** A link from east to west of which the config says nothing more. */
const plain: LinkSpec = {
  source: "east",
  target: "west",
  targetDomain: "cluster.local",
  gateway: linkerdsGateway,
  headless: false,
  selector: { matchLabels: { "mirror.linkerd.io/exported": "true" } },
  remoteDiscoverySelector: { matchLabels: { "mirror.linkerd.io/exported": "remote-discovery" } },
  federatedServiceSelector: { matchLabels: { "mirror.linkerd.io/federated": "member" } },
  namespaces: ["*"],
  excludedNamespaces: [
    "kube-*",
    "linkerd",
    "linkerd-multicluster",
    "linkerd-jaeger",
    "linkerd-viz",
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
};

/** What the link says, what the rest of the config says, and how the result differs from `plain`. */
type SpecRow = readonly [name: string, keys: Raw, others: Raw, spec: Partial<LinkSpec>];

const app = { matchLabels: { app: "a" } };
const terms = { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] } as const;
const clusters = (west: Raw): Raw => ({ clusters: { west, east: null } });
const defaults = (linkDefaults: Raw): Raw => ({ linkDefaults });

const rows: readonly SpecRow[] = [
  ["nothing said", {}, {}, {}],
  [
    "every flag and word",
    {
      headless: true,
      createNamespaces: true,
      readiness: "follow",
      gatewayProbe: true,
      allowDeletions: true,
      unreachable: "fail",
    },
    {},
    {
      headless: true,
      createNamespaces: true,
      readiness: "follow",
      gatewayProbe: true,
      allowDeletions: true,
      unreachable: "fail",
    },
  ],
  [
    "selectors replace Linkerd's as a whole",
    { selector: app, remoteDiscoverySelector: terms, federatedServiceSelector: {} },
    {},
    { selector: app, remoteDiscoverySelector: terms, federatedServiceSelector: {} },
  ],
  [
    "exclusions",
    { excludedLabels: ["a/*", "b"], excludedAnnotations: ["c"] },
    {},
    { excludedLabels: ["a/*", "b"], excludedAnnotations: ["c"] },
  ],
  [
    "metadata that is copied all the same",
    { copiedMetadata: ["prometheus.io/*"] },
    {},
    { copiedMetadata: ["prometheus.io/*"] },
  ],
  ["a count of deletions", { maxDeletions: 0 }, {}, { maxDeletions: 0 }],
  [
    "the target's domain",
    {},
    clusters({ clusterDomain: "west.local" }),
    { targetDomain: "west.local" },
  ],
  [
    "another multicluster namespace",
    {},
    { multiclusterNamespace: "mc", linkerdNamespace: "mesh" },
    {
      gateway: { ...linkerdsGateway, namespace: "mc" },
      excludedNamespaces: ["kube-*", "mesh", "mc", "linkerd-jaeger", "linkerd-viz"],
    },
  ],
  [
    "namespaces",
    { namespaces: ["team-*"], excludedNamespaces: [] },
    {},
    { namespaces: ["team-*"], excludedNamespaces: [] },
  ],
  [
    "namespaces that linkDefaults exclude",
    {},
    defaults({ excludedNamespaces: ["private"] }),
    { excludedNamespaces: ["private"] },
  ],
  [
    "another gateway Service",
    { gateway: { name: "gw", namespace: "infra" } },
    {},
    { gateway: { name: "gw", namespace: "infra" } },
  ],
  [
    "overrides",
    { gateway: { addresses: ["192.0.2.1", "Gw.Example.com"], port: 4143, identity: "gw.mc.svc" } },
    {},
    {
      gateway: {
        ...linkerdsGateway,
        addresses: ["192.0.2.1", "Gw.Example.com"],
        port: 4143,
        identity: "gw.mc.svc",
      },
    },
  ],
  [
    "a flat network selects nothing for the gateway",
    { gateway: false },
    {},
    { gateway: false, selector: {} },
  ],
  [
    "the target's gateway",
    {},
    clusters({ gateway: { port: 1 } }),
    { gateway: { ...linkerdsGateway, port: 1 } },
  ],
  [
    "the link's gateway wins as a whole",
    { gateway: { identity: "a" } },
    clusters({ gateway: { port: 1 } }),
    { gateway: { ...linkerdsGateway, identity: "a" } },
  ],
  [
    "the target's gateway wins over linkDefaults",
    {},
    { ...clusters({ gateway: { port: 1 } }), ...defaults({ gateway: false }) },
    { gateway: { ...linkerdsGateway, port: 1 } },
  ],
  [
    "linkDefaults' gateway comes last",
    {},
    defaults({ gateway: { port: 2 } }),
    { gateway: { ...linkerdsGateway, port: 2 } },
  ],
  [
    "a target that is to have a gateway for others says nothing to its links",
    {},
    { ...clusters({ gateway: { enabled: true } }), ...defaults({ gateway: { port: 2 } }) },
    { gateway: { ...linkerdsGateway, port: 2 } },
  ],
  [
    "a target's gateway is the links' without what is not theirs",
    {},
    clusters({ gateway: { enabled: true, port: 1 } }),
    { gateway: { ...linkerdsGateway, port: 1 } },
  ],
  ["a flat target", {}, clusters({ gateway: false }), { gateway: false, selector: {} }],
  ["back to Linkerd's gateway", { gateway: {} }, clusters({ gateway: false }), {}],
  [
    "linkDefaults",
    {},
    defaults({ headless: true, selector: app, maxDeletions: 3 }),
    { headless: true, selector: app, maxDeletions: 3 },
  ],
  [
    "the link wins over linkDefaults",
    { headless: false, maxDeletions: "1%" },
    defaults({ headless: true, maxDeletions: 3 }),
    { maxDeletions: "1%" },
  ],
  [
    "linkDefaults' gateway mirrors are not for a flat network",
    { gateway: false },
    defaults({ headless: true, selector: app, gatewayProbe: true }),
    { gateway: false, selector: {} },
  ],
  [
    "Linkerd's controller probes by itself",
    { gatewayProbe: true, mirroring: "controller" },
    { manage: "links" },
    {},
  ],
];

describe("stack config: a link with its defaults", () => {
  for (const [name, keys, others, spec] of rows) {
    it(name, () => {
      deepEqual(linkOf(keys, others).spec, { ...plain, ...spec });
    });
  }

  it("mirroring is pulumi, linkDefaults' or the link's", () => {
    equal(linkOf({}).mirroring, "pulumi");
    equal(linkOf({}, defaults({ mirroring: "controller" })).mirroring, "controller");
    equal(
      linkOf({ mirroring: "pulumi" }, defaults({ mirroring: "controller" })).mirroring,
      "pulumi",
    );
  });
});

describe("stack config: a cluster with its defaults", () => {
  it("defaults", () => {
    deepEqual(configOf({ clusters: { west: null } }).clusters.get("west"), {
      name: "west",
      access: { context: "west" },
      clusterDomain: "cluster.local",
      ...{ trustDomain: "cluster.local", isTrustDomainSet: false },
      gateway: linkerdsGateway,
      values: {},
      gatewayApi: "install",
    });
  });

  it("everything said", () => {
    const west = {
      context: "arn:aws:eks:eu-west-1:1:cluster/w",
      kubeconfig: "/home/me/west.yaml",
      clusterDomain: "west.local",
      trustDomain: "west.example",
      apiServer: "https://west.example.com:6443",
      gateway: false,
      values: { "linkerd-control-plane": { proxy: { resources: null } } },
      uid: "6d5d8d5a-kube-system",
      gatewayApi: "assume",
    };
    const { context, kubeconfig, ...rest } = west;
    deepEqual(configOf({ clusters: { west } }).clusters.get("west"), {
      name: "west",
      access: { context, kubeconfig },
      ...rest,
      isTrustDomainSet: true,
    });
  });

  it("the trust domain is that of the mesh, which no cluster domain changes", () => {
    const domains = (raw: Raw) =>
      [...configOf(raw).clusters.values()].map(({ trustDomain, isTrustDomainSet }) => [
        ...[trustDomain, isTrustDomainSet],
      ]);
    const clusters = { west: { clusterDomain: "west.local" }, east: null };
    deepEqual(domains({ clusters }), [
      ["cluster.local", false],
      ["cluster.local", false],
    ]);
    const east = { trustDomain: "east.example" };
    deepEqual(domains({ clusters: { ...clusters, east }, trustDomain: "mesh.example" }), [
      ["mesh.example", true],
      ["east.example", true],
    ]);
    deepEqual(domains({ clusters: { ...clusters, east } }), [
      ["cluster.local", false],
      ["east.example", true],
    ]);
  });
});

describe("stack config: the whole", () => {
  it("a link's token is rotated by age", () => {
    deepEqual(linkOf({}).rotation, { generation: 1, maxAgeDays: 90 });
    equal(linkOf({ credentialsMaxAge: 7 }).rotation.maxAgeDays, 7);
  });

  it("defaults", () => {
    const { clusters: known, ...rest } = configOf({});
    deepEqual([...known.keys()], ["west", "east"]);
    deepEqual(rest, {
      manage: "all",
      linkerdCheck: false,
      linkerdNamespace: "linkerd",
      multiclusterNamespace: "linkerd-multicluster",
      links: [],
      sources: new Set(["west", "east"]),
      claims: false,
      removedLinks: { allowDeletions: false },
      revoked: { clusters: new Map(), links: [] },
      trust: {
        kind: "generated",
        generation: 1,
        anchorValidityDays: 3650,
        issuerValidityDays: 365,
        renewBeforeDays: 60,
        unknownAnchors: "keep",
        ignorePods: [],
      },
      charts: {
        version: "2026.8.3",
        source: "https://helm.linkerd.io/edge",
        timeoutSeconds: 600,
      },
    });
  });

  it("what is said", () => {
    const { manage, linkerdNamespace } = configOf({ manage: "links", linkerdNamespace: "l5d" });
    deepEqual([manage, linkerdNamespace], ["links", "l5d"]);
  });
});
