import { deepEqual } from "node:assert/strict";
import * as yaml from "yaml";
import type { LinkSpec } from "../../../engine/model/link.ts";
import { configOf, linkOf, parsed, type Raw } from "./table.ts";

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
  prober: false,
  maxDeletions: "50%",
  allowDeletions: false,
  maxMirrors: 5_000,
  unreachable: "keep",
  adoptFrom: [],
};

const terms = { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] } as const;
const defaults = (linkDefaults: Raw): Raw => ({ linkDefaults });

/** Defines a test per paragraph: a config with a link, and after `= ` how its settings differ from `plain`. */
function testSettings(text: string): void {
  for (const paragraph of text.trim().split("\n\n")) {
    const [source = "", settings = "{}"] = paragraph.split("\n= ");
    const { name, raw } = parsed(source);
    it(name, () => {
      const { gateway = {}, ...others } = yaml.parse(settings) as Partial<LinkSpec>;
      const [link] = configOf(raw).links;
      const expected = gateway === false ? gateway : { ...linkerds, ...gateway };
      deepEqual(link?.spec, { ...plain, ...others, gateway: expected });
    });
  }
}

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
    selector: { matchLabels: { app: "a" } },
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

  testSettings(`
# take the target's domain, and whether it is private
link: {}
clusters: { west: { clusterDomain: w.net, privateUnlessListed: true }, east: }
= { targetDomain: w.net, privateUnlessListed: true }

# take the gateway's and excluded namespaces from the mesh
link: {}
multiclusterNamespace: mc
linkerdNamespace: mesh
= { gateway: { namespace: mc }, excludedNamespaces: [kube-*, mesh, mc, linkerd-jaeger, linkerd-viz] }

# take a gateway from the target, without enabled
link: {}
clusters: { west: { gateway: { enabled: true, port: 1 } }, east: }
= { gateway: { port: 1 } }

# replace the target's gateway as a whole by the link's
link: { gateway: { identity: a } }
clusters: { west: { gateway: { port: 1 } }, east: }
= { gateway: { identity: a } }

# prefer the target's gateway over linkDefaults
link: {}
clusters: { west: { gateway: { port: 1 } }, east: }
linkDefaults: { gateway: false }
= { gateway: { port: 1 } }

# take linkDefaults' gateway last, although the target's is enabled
link: {}
clusters: { west: { gateway: { enabled: true } }, east: }
linkDefaults: { gateway: { port: 2 } }
= { gateway: { port: 2 } }

# have no gateway if the target has none
link: {}
clusters: { west: { gateway: false }, east: }
= { gateway: false, selector: {} }

# have Linkerd's gateway if the link asks for it
link: { gateway: {} }
clusters: { west: { gateway: false }, east: }

# prefer the link over linkDefaults
link: { headless: false, maxDeletions: 1% }
linkDefaults: { headless: true, maxDeletions: 3 }
= { maxDeletions: 1% }

# ignore linkDefaults for gateway mirrors on a flat network
link: { gateway: false }
linkDefaults: { headless: true, selector: { matchLabels: { app: a } }, gatewayProbe: true }
= { gateway: false, selector: {} }

# have no probe with Linkerd's controller
link: { mirroring: controller }
linkDefaults: { gatewayProbe: true, prober: bed.local/watch:1 }
manage: links
`);

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
      traffic: {},
      drained: false,
      serviceLinksDisabled: false,
      privateUnlessListed: false,
      clusterDomain: "cluster.local",
      adopt: false,
      gatewayAccess: "open",
      gatewayApi: "install",
      ha: false,
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
      traffic: {},
      drained: false,
      serviceLinksDisabled: false,
      values: { "linkerd-control-plane": { proxy: { resources: null } } },
      adopt: true,
      gatewayAccess: "open",
      gatewayApi: "assume",
      ha: false,
    };
    const { clusters } = configOf({ clusters: { west: { ...access, ...rest } } });
    deepEqual(clusters.get("west"), { name: "west", access, ...rest, isTrustDomainSet: true });
  });

  const east = { trustDomain: "east.example" };
  function trustDomains(from: string, mesh: Raw, east: Raw | null, expected: readonly unknown[]) {
    it(`take the trust domain from ${from}, never from the cluster domain`, () => {
      const clusters = { west: { clusterDomain: "west.local" }, east };
      const found = [...configOf({ clusters, ...mesh }).clusters.values()];
      deepEqual(
        found.flatMap(({ trustDomain, isTrustDomainSet }) => [trustDomain, isTrustDomainSet]),
        expected,
      );
    });
  }
  const mesh = { trustDomain: "a.b" };
  trustDomains("the default", {}, null, ["cluster.local", false, "cluster.local", false]);
  trustDomains("the mesh", mesh, null, ["a.b", true, "a.b", true]);
  trustDomains("the cluster", {}, east, ["cluster.local", false, "east.example", true]);
  trustDomains("both", mesh, east, ["a.b", true, "east.example", true]);
});

describe("stack config: the mesh", () => {
  it("has defaults for everything but clusters", () => {
    const { clusters: known, ...rest } = configOf({});
    deepEqual([...known.keys()], ["west", "east"]);
    deepEqual(rest, {
      manage: "all",
      ignored: [],
      leaving: {},
      linkDefaults: {},
      trustKeysExported: false,
      isManageSet: false,
      linkerdCheck: false,
      linkerdNamespace: "linkerd",
      multiclusterNamespace: "linkerd-multicluster",
      links: [],
      sources: new Set(["west", "east"]),
      removedLinks: { allowDeletions: false },
      restart: false,
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
