import { linkRow, testMistakes } from "./table.ts";

const link = { source: "east", target: "west" };
const known = 'it must be one of the configured clusters, "west", "east".';
const flat = (context: string) => ({ context, gateway: false });
const selector = { matchLabels: { app: "a" } };

describe("stack config: keys that do not go together", () => {
  testMistakes([
    [
      "unknown clusters",
      { links: [{ source: "est", target: "north" }], topology: { hub: "hub" } },
      [
        `topology.hub is "hub"; ${known}`,
        `links[0].source is "est"; ${known}`,
        `links[0].target is "north"; ${known}`,
      ],
    ],
    linkRow("a link to itself", { target: "east" }, [
      'links[0].target is "east", the link\'s source; it must be another cluster.',
    ]),
    [
      "a pair listed twice",
      { links: [link, { source: "west", target: "east" }, { ...link, headless: true }] },
      [
        'links[2] links source "east" to target "west" again, after links[0]; each pair must be listed once.',
      ],
    ],
    ["a listed link of the topology is no second one", { links: [link], topology: "mesh" }, []],
    [
      "the same cluster twice",
      { clusters: { west: { context: "a" }, a: null } },
      [
        'clusters.a is the same cluster as clusters.west, context "a" of the same kubeconfig; each cluster must be listed once.',
      ],
    ],
    [
      "one context in two kubeconfigs",
      {
        clusters: {
          west: { context: "a", kubeconfig: "w" },
          east: { context: "a", kubeconfig: "e" },
        },
      },
      [],
    ],
    ["no links and no topology", { links: [], topology: "none" }, []],
  ]);
});

describe("stack config: manage: mirrors provisions no controller", () => {
  const rule = 'it must be pulumi where manage is "mirrors", which provisions no controller.';
  testMistakes([
    [
      "in a link",
      { manage: "mirrors", links: [{ ...link, mirroring: "controller" }] },
      [`links[0].mirroring is "controller"; ${rule}`],
    ],
    [
      "in linkDefaults",
      { manage: "mirrors", linkDefaults: { mirroring: "controller" } },
      [`linkDefaults.mirroring is "controller"; ${rule}`],
    ],
    ["links does", { manage: "links", linkDefaults: { mirroring: "controller" } }, []],
    ["so does all, the default", { linkDefaults: { mirroring: "controller" } }, []],
  ]);
});

describe("stack config: Linkerd's controller knows no namespaces", () => {
  const wrong = (where: string) =>
    `${where} is set, but mirroring is "controller"; it must be left out, as Linkerd's controller mirrors the Services of all namespaces.`;
  const namespaces = { namespaces: ["a"], excludedNamespaces: ["b"] };

  testMistakes([
    linkRow("of the link", { mirroring: "controller", ...namespaces }, [
      wrong("links[0].namespaces"),
      wrong("links[0].excludedNamespaces"),
    ]),
    [
      "of a link that linkDefaults leave to the controller",
      { links: [{ ...link, namespaces: ["a"] }], linkDefaults: { mirroring: "controller" } },
      [wrong("links[0].namespaces")],
    ],
    [
      "of linkDefaults",
      { links: [link], linkDefaults: { mirroring: "controller", excludedNamespaces: [] } },
      [wrong("linkDefaults.excludedNamespaces")],
    ],
    [
      "of linkDefaults, for a link that this program does not mirror",
      { links: [{ ...link, mirroring: "controller" }], linkDefaults: { namespaces: ["a"] } },
      [wrong("linkDefaults.namespaces")],
    ],
    linkRow("but this program does", { mirroring: "pulumi", ...namespaces }, []),
  ]);
});

describe("stack config: nothing is mirrored through a gateway where there is none", () => {
  const wrongSelector = (where: string, gateway: string) =>
    `${where}.selector is set, but ${gateway} is false; it must be left out, as without a gateway it could never mirror anything.`;
  const wrongHeadless = (where: string, gateway: string) =>
    `${where}.headless is true, but ${gateway} is false; it must be false, as headless mirrors need a gateway.`;
  const westFlat = { west: flat("k3d-west"), east: null };

  testMistakes([
    linkRow("the link has none", { gateway: false, selector, headless: true }, [
      wrongSelector("links[0]", "links[0].gateway"),
      wrongHeadless("links[0]", "links[0].gateway"),
    ]),
    linkRow("there is nothing to probe", { gateway: false, gatewayProbe: true }, [
      "links[0].gatewayProbe is true, but links[0].gateway is false; it must be false, as there is no gateway to probe.",
    ]),
    [
      "its target has none",
      { clusters: westFlat, links: [{ ...link, headless: true }] },
      [wrongHeadless("links[0]", "clusters.west.gateway")],
    ],
    [
      "no link has one",
      { linkDefaults: { gateway: false }, links: [{ ...link, selector }] },
      [wrongSelector("links[0]", "linkDefaults.gateway")],
    ],
    [
      "the link's own gateway wins",
      { clusters: westFlat, links: [{ ...link, gateway: {}, headless: true }] },
      [],
    ],
    [
      "its source does not matter",
      { clusters: { west: null, east: flat("k3d-east") }, links: [{ ...link, headless: true }] },
      [],
    ],
    linkRow(
      "an empty selector says the same",
      { gateway: false, selector: {}, headless: false },
      [],
    ),
    [
      "the other selectors need no gateway",
      {
        links: [
          {
            ...link,
            gateway: false,
            remoteDiscoverySelector: selector,
            federatedServiceSelector: selector,
          },
        ],
      },
      [],
    ],
    [
      "linkDefaults speaks of links with a gateway",
      { links: [{ ...link, gateway: false }], linkDefaults: { headless: true, selector } },
      [],
    ],
    [
      "linkDefaults contradicts itself",
      { topology: "mesh", linkDefaults: { gateway: false, headless: true, selector } },
      [
        wrongSelector("linkDefaults", "linkDefaults.gateway"),
        wrongHeadless("linkDefaults", "linkDefaults.gateway"),
      ],
    ],
    [
      "unless one link has a gateway",
      {
        topology: "mesh",
        links: [{ ...link, gateway: {} }],
        linkDefaults: { gateway: false, headless: true },
      },
      [],
    ],
  ]);
});

describe("stack config: one mistake does not hide another", () => {
  testMistakes([
    [
      "ends are judged beside a wrong key",
      {
        links: [
          { ...link, headless: 1 },
          { source: 5, target: "nort" },
          { ...link, port: 1 },
        ],
      },
      [
        "links[0].headless is 1; it must be true or false.",
        "links[1].source is 5; it must be the name of a configured cluster, in quotes.",
        "links[2].port is not a key of a link; the keys are source, target, revoked, gateway, headless, selector, remoteDiscoverySelector, federatedServiceSelector, namespaces, excludedNamespaces, excludedLabels, excludedAnnotations, copiedMetadata, createNamespaces, readiness, gatewayProbe, maxDeletions, allowDeletions, maxMirrors, mirroring, credentialsGeneration, credentialsMaxAge, unreachable.",
        `links[1].target is "nort"; ${known}`,
        'links[2] links source "east" to target "west" again, after links[0]; each pair must be listed once.',
      ],
    ],
    [
      "a wrong cluster is still a cluster",
      { clusters: { west: 5, east: null }, links: [link] },
      [
        "clusters.west is 5; it must be a map of context, kubeconfig, clusterDomain, trustDomain, apiServer, gateway, values, uid, revoked, gatewayApi.",
      ],
    ],
  ]);
});

describe("stack config: what can't be judged is not", () => {
  testMistakes([
    [
      "names, without clusters",
      { clusters: 5, links: [link] },
      ["clusters is 5; it must be a map of clusters by name."],
    ],
    [
      "headless, with a wrong gateway",
      { links: [{ ...link, gateway: "no", headless: true }], linkDefaults: { gateway: false } },
      [
        'links[0].gateway is "no"; it must be false, without quotes, or a map of name, namespace, addresses, allowedAddresses, port, identity.',
      ],
    ],
    [
      "linkDefaults, with a wrong topology",
      { topology: 5, linkDefaults: { gateway: false, headless: true } },
      ["topology is 5; it must be none, mesh or {hub: <cluster>}."],
    ],
    [
      "controllers, with a wrong manage",
      { manage: "mirror", linkDefaults: { mirroring: "controller" } },
      ['manage is "mirror"; it must be all, links, mirrors or trust.'],
    ],
    [
      "sameness, with a wrong context",
      { clusters: { a: { context: 5 }, b: { context: "a" } } },
      ["clusters.a.context is 5; it must be the name of a kubeconfig context, in quotes."],
    ],
  ]);
});
