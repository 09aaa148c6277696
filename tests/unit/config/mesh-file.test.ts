import { deepEqual, equal, throws } from "node:assert/strict";
import { parseTexts } from "../../../config/parse.ts";
import { authority } from "../trust/certificates.ts";

const mesh = `# What all stacks of this mesh share.
clusters:
  west: { context: k3d-west, gateway: { addresses: [192.0.2.7] } }
  east: { context: k3d-east }
topology: mesh
manage: links
linkDefaults: { maxMirrors: 7 }
`;

type Values = Readonly<Record<string, unknown>>;

/** Parses a stack's own keys and the text of its mesh file. */
function configOf(own: Values, text: string | Error = mesh) {
  const texts = Object.entries({ mesh: "fleet/mesh.yaml", ...own }).map(([key, value]) => {
    const json = typeof value === "string" ? value : JSON.stringify(value);
    return [`linkerd-multicluster:${key}`, json] as const;
  });
  const readText = (path: string) => {
    equal(path, "fleet/mesh.yaml");
    if (typeof text !== "string") throw text;
    return text;
  };
  return parseTexts(Object.fromEntries(texts), "The stack config", { readText });
}

const unreadable = (code: string) => Object.assign(new Error(), { code });

describe("a mesh file", () => {
  it("adds the keys that a stack doesn't set itself", () => {
    const { clusters, links, manage } = configOf({});
    // Clusters are sorted, as Pulumi sorts those of a stack's own config.
    deepEqual([...clusters.keys(), manage], ["east", "west", "links"]);
    deepEqual(
      links.map(({ spec }) => [spec.source, spec.target, spec.maxMirrors].join()),
      ["east,west,7", "west,east,7"],
    );
  });

  it("is overridden by the stack's own keys, each as a whole", () => {
    const own = { manage: "mirrors", linkDefaults: { headless: true } };
    const { links, manage } = configOf(own);
    const all = links.map(({ spec }) => [spec.headless, spec.maxMirrors].join());
    deepEqual([manage, ...all], ["mirrors", "true,5000", "true,5000"]);
  });

  it("isn't overridden by an empty key, such as a default of Pulumi.yaml", () => {
    equal(configOf({ manage: "", links: "" }).manage, "links");
  });

  it("may be empty", () => {
    equal(configOf({ clusters: { west: null } }, "# nothing yet\n").clusters.size, 1);
  });

  const day = 24 * 60 * 60 * 1000;
  const validity = { notBefore: new Date(), notAfter: new Date(Date.now() + day) };
  const anchor = authority(validity);
  const { pem: certificate, keyPem: key } = authority({ ...validity, signer: anchor });
  const trust = { anchors: anchor.pem, issuers: { west: { certificate, key } } };
  const withKey = `clusters: { west: }\ntrust: ${JSON.stringify(trust)}`;
  const asPath = (why: string) =>
    `linkerd-multicluster:mesh is "fleet/mesh.yaml", which ${why}; it must be the path of a YAML file.`;

  function reports(what: string, own: Values, text: string | Error, ...sentences: string[]) {
    it(`is reported: ${what}`, () => {
      const message = ["The stack config needs a change:", ...sentences].join("\n  ");
      throws(() => configOf(own, text), { name: "Error", message });
    });
  }
  reports(
    "mistakes in it name the file, others the stack config",
    { charts: { version: 1 }, links: [{ source: "east", target: "north" }] },
    mesh.replace("maxMirrors: 7", "maxMirrors: none"),
    "linkerd-multicluster:charts.version is 1; it must be a chart's version, such as 2026.8.3, in quotes.",
    'fleet/mesh.yaml: linkDefaults.maxMirrors is "none"; it must be a whole number of at least 1, without quotes.',
    'linkerd-multicluster:links[0].target is "north"; it must be one of the configured clusters, "east", "west".',
  );
  reports(
    "a contradiction between it and the stack config names both",
    { manage: "mirrors" },
    `${mesh}links: [{ source: east, target: west, mirroring: controller }]`,
    'fleet/mesh.yaml: links[0].mirroring is "controller"; it must be pulumi where linkerd-multicluster:manage is "mirrors", which provisions no controller.',
  );
  reports(
    "unknown keys",
    {},
    `${mesh}toplogy: mesh`,
    "fleet/mesh.yaml: toplogy is not a key of this program's config; the nearest key is topology.",
  );
  const missing = "can't be read (there is no such file)";
  reports("a missing file", {}, unreadable("ENOENT"), asPath(missing));
  reports("an unreadable file", {}, unreadable("EACCES"), asPath("can't be read (EACCES)"));
  const broken = "clusters:\n  west: [canary";
  reports("a file that isn't YAML", {}, broken, asPath("is not YAML (line 2)"));
  reports("a duplicate key", {}, "manage: all\nmanage: all", asPath("is not YAML (line 2)"));
  reports("a list", {}, "- canary", asPath("holds no map of keys"));
  reports(
    "keys of a single stack, and prefixes",
    {},
    "mesh: other.yaml\nsources: [west]\nlinkerd-multicluster:links: []",
    "fleet/mesh.yaml: mesh is set; it must be set in the config of each stack itself.",
    "fleet/mesh.yaml: sources is set; it must be set in the config of each stack itself.",
    'fleet/mesh.yaml: "linkerd-multicluster:links" has a prefix; the keys of a mesh file are written without "linkerd-multicluster:".',
  );
  reports(
    "an unencrypted private key",
    {},
    withKey,
    "fleet/mesh.yaml: trust.issuers.west.key is plain text; it must be a secret in the config of the cluster's own stack, whose trust then replaces this one, and a key that was in a file as it is should be replaced.",
  );

  it("may contain a private key if the stack's own trust replaces it", () => {
    equal(configOf({ trust: {} }, withKey).trust.kind, "generated");
  });
});
