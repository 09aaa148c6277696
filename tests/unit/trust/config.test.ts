import { deepEqual, equal } from "node:assert/strict";
import { certificateLifetime, trustRootArgs } from "../../../components/trust-root.ts";
import { parseConfig } from "../../../config/parse.ts";
import { plainIssuerKeys } from "../../../config/stack.ts";
import { configOf, mistakesIn, testMistakes, westAndEast } from "../config/table.ts";
import { authority, day, issuerUnder, now } from "./certificates.ts";

const root = authority({ name: "root" });
const [west, east] = [issuerUnder(root), issuerUnder(root)];
const own = ({ pem, keyPem }: typeof west) => ({ certificate: pem, key: keyPem });
const issuers = { west: own(west), east: own(east) };
const given = (trust: unknown) => ({ trust });
const days = "a whole number of days from 1 to 36500";

describe("stack config: trust", () => {
  it("settings for generated anchors", () => {
    const trust = {
      generation: 2,
      anchorValidityDays: 800,
      issuerValidityDays: 90,
      renewBeforeDays: 30,
    };
    const defaults = { unknownAnchors: "keep", ignorePods: [] };
    deepEqual(configOf({ trust }).trust, { kind: "generated", ...defaults, ...trust });
  });

  it("an issuer is missing for a cluster that is called what every object inherits", () => {
    const mistakes = mistakesIn({
      clusters: { constructor: {}, west: {} },
      trust: { anchors: root.pem, issuers: { west: own(west) } },
    });
    equal(
      mistakes.some((mistake) => /trust\.issuers\.constructor is missing/.test(mistake)),
      true,
    );
    equal(
      mistakes.some((mistake) => /clusters\.constructor has the name/.test(mistake)),
      true,
    );
  });

  it("needs no issuer for a revoked cluster", () => {
    const { clusters } = configOf({
      clusters: { west: null, east: { revoked: true } },
      trust: { anchors: root.pem, issuers: { west: own(west) } },
    });
    deepEqual([...clusters.keys()], ["west"]);
  });

  it("provided anchors and issuers", () => {
    const { trust } = configOf({ trust: { anchors: root.pem, issuers } });
    deepEqual(trust, {
      kind: "provided",
      anchors: root.pem,
      issuers: new Map(Object.entries(issuers)),
      ignorePods: [],
    });
  });

  testMistakes([
    ["nothing said", given({}), []],
    [
      "no numbers",
      given({ generation: "2", issuerValidityDays: 0, renewBeforeDays: 1.5 }),
      [
        "trust.generation is a string of 1 characters; it must be a positive whole number, without quotes.",
        `trust.issuerValidityDays is 0; it must be ${days}.`,
        `trust.renewBeforeDays is 1.5; it must be ${days}.`,
      ],
    ],
    [
      "renewed before it is made, and longer than the anchor",
      given({ anchorValidityDays: 50, issuerValidityDays: 60 }),
      [
        "trust.renewBeforeDays is 60; it must be less than the 60 of issuerValidityDays.",
        "trust.issuerValidityDays is 60; it must be at most the 50 of anchorValidityDays.",
      ],
    ],
    [
      "both kinds",
      given({ anchors: root.pem, issuers, generation: 2, issuerValidityDays: 1 }),
      [
        "trust.generation is set; it must be left out, as trust.anchors provides the certificates.",
        "trust.issuerValidityDays is set; it must be left out, as trust.anchors provides the certificates.",
      ],
    ],
    [
      "issuers alone",
      given({ issuers }),
      ["trust.anchors is missing; it must be set, as trust.issuers is."],
    ],
    [
      "anchors alone",
      given({ anchors: root.pem }),
      [
        "trust.issuers.west is missing; it must be set, as trust.anchors is.",
        "trust.issuers.east is missing; it must be set, as trust.anchors is.",
      ],
    ],
    [
      "an issuer of no cluster",
      given({ anchors: root.pem, issuers: { ...issuers, north: own(west) } }),
      [
        'trust.issuers.north is for cluster "north"; it must be for one of the configured clusters.',
      ],
    ],
    [
      "no PEM",
      given({ anchors: "hunter2", issuers }),
      [
        "trust.anchors is a string of 7 characters; it must be PEM, with at least one block BEGIN CERTIFICATE.",
      ],
    ],
    [
      "an anchor that is no CA",
      given({ anchors: root.pem + authority({ name: "leaf", isCa: false }).pem, issuers }),
      ['trust.anchors has "leaf" as certificate 2; it must be a CA that may sign certificates.'],
    ],
    [
      "an issuer that is no CA, under another anchor, with another key",
      given({
        anchors: root.pem,
        issuers: {
          west: own(west),
          east: { certificate: authority({ name: "x", isCa: false }).pem, key: west.keyPem },
        },
      }),
      [
        'trust.issuers.east.certificate is "x"; it must be a CA that may sign certificates.',
        'trust.issuers.east.certificate is "x"; it must be signed by one of trust.anchors.',
        `trust.issuers.east.key is a string of ${west.keyPem.length} characters; it must be the private key of the certificate beside it.`,
      ],
    ],
    [
      "half an issuer",
      given({ anchors: root.pem, issuers: { ...issuers, west: { key: "hunter2", crt: "x" } } }),
      [
        "trust.issuers.west.certificate is missing; it must be PEM of a certificate.",
        "trust.issuers.west.crt is not a key of an issuer; the keys are certificate, key.",
      ],
    ],
    [
      "an issuer that is a text is never repeated",
      given({ anchors: root.pem, issuers: { ...issuers, west: "hunter2" } }),
      ["trust.issuers.west is a string of 7 characters; it must be a map of certificate, key."],
    ],
  ]);

  const until = { notAfter: new Date("2026-01-01T00:00:00Z") };
  const from = {
    notBefore: new Date("2999-01-01T00:00:00Z"),
    notAfter: new Date("3000-01-01T00:00:00Z"),
  };
  const withEast = (east: ReturnType<typeof own>, anchors = root.pem) =>
    given({ anchors, issuers: { west: own(west), east } });
  const [expired, future] = [
    authority({ name: "expired", ...until }),
    authority({ name: "future", ...from }),
  ];
  const middle = authority({ name: "middle", signer: root, ...until });
  const leaf = issuerUnder(middle);
  testMistakes([
    [
      "an issuer that has expired",
      withEast(own(issuerUnder(root, until))),
      [
        'trust.issuers.east.certificate is "identity.linkerd.cluster.local"; it must be valid still, and not only until 2026-01-01T00:00:00.000Z.',
      ],
    ],
    [
      "an issuer that is not valid yet",
      withEast(own(issuerUnder(root, from))),
      [
        'trust.issuers.east.certificate is "identity.linkerd.cluster.local"; it must be valid already, and not only from 2999-01-01T00:00:00.000Z on.',
      ],
    ],
    [
      "an issuer below one that has expired",
      withEast({ certificate: leaf.pem + middle.pem, key: leaf.keyPem }),
      [
        'trust.issuers.east.certificate has "middle" in its chain; it must be valid still, and not only until 2026-01-01T00:00:00.000Z.',
      ],
    ],
    [
      "an issuer under an anchor that has expired",
      withEast(own(issuerUnder(expired)), root.pem + expired.pem),
      [
        'trust.issuers.east.certificate is "identity.linkerd.cluster.local"; it must be signed by one of trust.anchors that is valid now.',
      ],
    ],
    ["anchors that are spare", withEast(own(east), root.pem + expired.pem + future.pem), []],
    [
      "external, and something besides",
      given({ external: true, generation: 2, ignorePods: [] }),
      [
        "trust.generation is set; it must be left out, as trust.external is true.",
        "trust.ignorePods is set; it must be left out, as trust.external is true.",
      ],
    ],
    [
      "pods to ignore",
      given({
        ignorePods: [
          "west",
          "east/shop",
          "west/shop/web-0.x",
          "north/shop",
          "west/shop/web-0/x",
          "West",
        ],
      }),
      [
        "trust.ignorePods[4] is a string of 17 characters; it must be <cluster>/<namespace>/<pod>, <cluster>/<namespace> or <cluster>.",
        "trust.ignorePods[5] is a string of 4 characters; it must be <cluster>/<namespace>/<pod>, <cluster>/<namespace> or <cluster>.",
      ],
    ],
    [
      "pods of no cluster",
      given({ ignorePods: ["north/shop"] }),
      [
        'trust.ignorePods[0] is for cluster "north"; it must be for one of the configured clusters.',
      ],
    ],
    [
      "extra anchors that are none",
      given({
        extraAnchors: authority({ name: "leaf", isCa: false }).pem,
        unknownAnchors: "spread",
      }),
      ["trust.unknownAnchors is a string of 6 characters; it must be keep or remove."],
    ],
    [
      "an extra anchor that is no CA",
      given({ extraAnchors: authority({ name: "leaf", isCa: false }).pem }),
      [
        'trust.extraAnchors has "leaf" as certificate 1; it must be a CA that may sign certificates.',
      ],
    ],
    [
      "extra anchors beside own ones",
      given({ anchors: root.pem, issuers, extraAnchors: root.pem }),
      [
        "trust.extraAnchors is set; it must be left out, as trust.anchors provides the certificates.",
      ],
    ],
  ]);

  it("an issuer's key in the plain, with the command that makes it a secret", () => {
    const raw = { clusters: westAndEast, trust: { anchors: root.pem, issuers } };
    const isPlainKey = (cluster: string) => cluster === "east";
    deepEqual(parseConfig(raw, { now, isPlainKey }), {
      mistakes: [
        "linkerd-multicluster:trust.issuers.east.key is plain text in the stack config; it must be a secret, and a key that was in a file as it is should be replaced: pulumi config set --secret --path 'linkerd-multicluster:trust.issuers.east.key' < key.pem.",
      ],
    });
  });

  it("which keys are in the plain", () => {
    const secret = ["linkerd-multicluster:trust"];
    const file = [
      "config:",
      "  linkerd-multicluster:trust:",
      "    issuers:",
      "      west: { certificate: x, key: { secure: AAAA } }",
      "      east: { certificate: x, key: hunter2 }",
    ].join("\n");
    const plain = (...args: Parameters<typeof plainIssuerKeys>) =>
      ["west", "east", "constructor"].filter(plainIssuerKeys(...args));
    deepEqual(plain(secret, file), ["east"]);
    deepEqual(plain(secret, undefined), []);
    deepEqual(plain(secret, "config:\n  linkerd-multicluster:trust: { secure: AAAA }\n"), []);
    deepEqual(plain(["linkerd-multicluster:clusters"], file), ["west", "east", "constructor"]);
  });

  it("trust that others provide", () => {
    deepEqual(configOf({ trust: { external: true } }).trust, { kind: "external" });
    equal(configOf({ trust: { external: false } }).trust.kind, "generated");
  });

  it("no key turns up in any sentence", () => {
    const key = west.keyPem;
    const configs = [
      { anchors: key, issuers },
      {
        anchors: root.pem,
        issuers: { west: { certificate: key, key }, east: { certificate: root.pem, key } },
      },
      { anchors: root.pem, issuers: { west: key } },
      { anchors: [key], issuers: key, generation: key },
      key,
    ];
    const [, secret = ""] = key.split("\n");
    for (const trust of configs) {
      const text = mistakesIn({ clusters: westAndEast, trust }).join();
      equal(text !== "" && !text.includes(secret), true, text);
    }
  });
});

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
const digests = {
  "linkerd-crds": digest,
  "linkerd-control-plane": digest,
  "linkerd-multicluster": digest,
};

describe("stack config: charts and values", () => {
  testMistakes([
    [
      "where charts come from",
      {
        charts: {
          source: "http://charts.example.com",
          version: "latest",
          timeoutSeconds: 0,
        },
      },
      [
        'charts.version is "latest"; it must be a chart\'s version, such as 2026.8.3.',
        'charts.source is "http://charts.example.com"; it must be the https URL of a Helm repository, an oci:// address, or the path of a local folder, without credentials.',
        "charts.timeoutSeconds is 0; it must be a positive whole number of seconds.",
      ],
    ],
    ...[
      "https://charts.example.com/edge",
      "oci://registry.example.com/linkerd",
      "./charts",
      "/srv/charts",
    ].map((source) => [source, { charts: { source } }, []] as const),
    [
      "credentials",
      { charts: { source: "oci://me:hunter2@registry.example.com/linkerd" } },
      [
        'charts.source is "oci://…@registry.example.com/linkerd"; it must be the https URL of a Helm repository, an oci:// address, or the path of a local folder, without credentials.',
      ],
    ],
    ...["oci://registry.example.com/linkerd", "./charts"].map(
      (source) => [`digests of ${source}`, { charts: { source, digests } }, []] as const,
    ),
    [
      "digests that nobody would compare",
      { charts: { digests } },
      [
        'charts.digests is set, but charts.source is "https://helm.linkerd.io/edge", and Helm compares no chart of an https repository with a digest; it must be left out, or charts.source must be an oci:// address or a folder with the archives that helm pull makes.',
      ],
    ],
    [
      "digests of some charts, or of another kind",
      { charts: { source: "./charts", digests: { "linkerd-crds": "sha1:abc" } } },
      [
        'charts.digests.linkerd-crds is "sha1:abc"; it must be sha256: and 64 hexadecimal digits in lower case.',
        "charts.digests.linkerd-control-plane is missing; it must be sha256: and 64 hexadecimal digits in lower case.",
        "charts.digests.linkerd-multicluster is missing; it must be sha256: and 64 hexadecimal digits in lower case.",
      ],
    ],
    [
      "values that the program decides",
      {
        clusters: {
          west: {
            values: {
              "linkerd-crds": { installGatewayAPI: true },
              "linkerd-control-plane": {
                identityTrustAnchorsPEM: "x",
                identity: { issuer: { tls: { keyPEM: "hunter2" }, clockSkewAllowance: "1m" } },
              },
              "linkerd-multicluster": {
                gateway: { enabled: false, replicas: 3 },
                controllers: [],
                createNamespaceMetadataJob: null,
                remoteMirrorServiceAccount: true,
              },
            },
          },
        },
      },
      [
        "clusters.west.values.linkerd-crds.installGatewayAPI is set; it must be left out, as the cluster's gatewayApi decides it.",
        "clusters.west.values.linkerd-control-plane.identityTrustAnchorsPEM is set; it must be left out, as trust.anchors decides it.",
        "clusters.west.values.linkerd-control-plane.identity.issuer.tls is set; it must be left out, as trust.issuers takes it, which keeps the key out of Helm's values.",
        "clusters.west.values.linkerd-multicluster.gateway.enabled is set; it must be left out, as the cluster's gateway.enabled decides it.",
        "clusters.west.values.linkerd-multicluster.createNamespaceMetadataJob is set; it must be left out, as the program labels the namespace itself.",
        "clusters.west.values.linkerd-multicluster.remoteMirrorServiceAccount is set; it must be left out, as each link gets an account of its own.",
        "clusters.west.values.linkerd-multicluster.controllers is set; it must be left out, as the links' mirroring decides it.",
      ],
    ],
    ...(
      [
        ["linkerd-control-plane", { identity: null }, "identity", "empty", "identity.externalCA"],
        [
          "linkerd-control-plane",
          { identity: { issuer: "hunter2" } },
          "identity.issuer",
          "a string of 7 characters",
          "identity.issuer.scheme",
        ],
        ["linkerd-multicluster", { gateway: null }, "gateway", "empty", "gateway.enabled"],
        ["linkerd-multicluster", { gateway: [] }, "gateway", "an empty list", "gateway.enabled"],
        [
          "linkerd-multicluster",
          { localServiceMirror: null },
          "localServiceMirror",
          "empty",
          "localServiceMirror.replicas",
        ],
      ] as const
    ).map(
      ([chart, values, key, state, removed]) =>
        [
          `what would remove ${removed}: ${JSON.stringify(values)}`,
          { clusters: { west: { values: { [chart]: values } } } },
          [
            `clusters.west.values.${chart}.${key} is ${state}; it must be a map or be left out, as it would remove ${removed}, which the program decides.`,
          ],
        ] as const,
    ),
    [
      "a null that removes a default of the chart",
      { clusters: { west: { values: { "linkerd-control-plane": { proxy: null } } } } },
      [],
    ],
    [
      "a UID and the Gateway API",
      { clusters: { west: { uid: "", gatewayApi: "auto" } } },
      [
        'clusters.west.uid is ""; it must be the UID of the cluster\'s namespace kube-system.',
        'clusters.west.gatewayApi is "auto"; it must be install or assume.',
      ],
    ],
  ]);
});

describe("trust: from the stack's config", () => {
  const lifetime = (issuanceLifetime: unknown) =>
    certificateLifetime({ identity: { issuer: { issuanceLifetime } } });

  it("issuers are named after the cluster's trust domain, by convention", () => {
    const east = { clusterDomain: "east.local" };
    const clusters = { west: null, east, north: { trustDomain: "north.local" } };
    const raw = { clusters, linkerdNamespace: "l5d", trustDomain: "mesh.local" };
    const args = trustRootArgs(configOf(raw), { trust: new Map() });
    deepEqual(
      [...args.issuerNames],
      [
        ["west", "identity.l5d.mesh.local"],
        ["east", "identity.l5d.mesh.local"],
        ["north", "identity.l5d.north.local"],
      ],
    );
    equal(args.certificateLifetime, day);
  });

  it("certificates live as long as the cluster says that says the longest", () => {
    const values = {
      "linkerd-control-plane": { identity: { issuer: { issuanceLifetime: "48h" } } },
    };
    const config = configOf({ clusters: { west: { values }, east: null } });
    equal(trustRootArgs(config, { trust: new Map() }).certificateLifetime, 2 * day);
  });

  it("in Go's notation; what can't be read is longer than anybody waits", () => {
    equal(lifetime("24h0m0s"), day);
    equal(lifetime("1h30m"), 5_400_000);
    equal(lifetime("1.5s500ms"), 2000);
    equal(lifetime(undefined), day);
    equal(lifetime(null), day);
    equal(lifetime("a day") > 1000 * day, true);
    equal(lifetime(86400) > 1000 * day, true);
    equal(certificateLifetime({ identity: 5 }), day);
  });
});
