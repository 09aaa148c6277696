import { deepEqual, equal } from "node:assert/strict";
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

/** A stack's own keys, and the file that it names. */
function parsed(own: Values, text: string | Error = mesh) {
  const texts = Object.entries({ mesh: "fleet/mesh.yaml", ...own }).map(([key, value]) => {
    const json = typeof value === "string" ? value : JSON.stringify(value);
    return [`linkerd-multicluster:${key}`, json] as const;
  });
  return parseTexts(Object.fromEntries(texts), "The stack config", {
    readText: (path) => {
      equal(path, "fleet/mesh.yaml");
      if (typeof text !== "string") throw text;
      return text;
    },
  });
}

function configOf(own: Values, text?: string) {
  const outcome = parsed(own, text);
  if ("config" in outcome) return outcome.config;
  throw new Error(outcome.problem);
}

function mistakesIn(own: Values, text?: string | Error): readonly string[] {
  const outcome = parsed(own, text);
  return "problem" in outcome ? outcome.problem.split("\n  ").slice(1) : [];
}

describe("a mesh file", () => {
  it("gives a stack the keys that it does not have itself", () => {
    const { clusters, links, manage } = configOf({});
    // As from a stack's own config, which Pulumi sorts.
    deepEqual([...clusters.keys()], ["east", "west"]);
    equal(manage, "links");
    deepEqual(
      links.map(({ spec }) => [spec.source, spec.target, spec.maxMirrors]),
      [
        ["east", "west", 7],
        ["west", "east", 7],
      ],
    );
  });

  it("gives way to the stack's own keys, each as a whole", () => {
    const own = { manage: "mirrors", linkDefaults: { headless: true } };
    const { links, manage } = configOf(own);
    equal(manage, "mirrors");
    const all = links.map(({ spec }) => [spec.headless, spec.maxMirrors]);
    deepEqual(all, [
      [true, 5000],
      [true, 5000],
    ]);
  });

  it("holds where a stack's own key is left empty, as a default of Pulumi.yaml is", () => {
    equal(configOf({ manage: "", links: "" }).manage, "links");
  });

  it("may be empty", () => {
    equal(configOf({ clusters: { west: null } }, "# nothing yet\n").clusters.size, 1);
  });

  it("is named, with the key path, by every mistake in it, and by no other", () => {
    const own = { charts: { version: 1 }, links: [{ source: "east", target: "north" }] };
    deepEqual(mistakesIn(own, mesh.replace("maxMirrors: 7", "maxMirrors: none")), [
      "linkerd-multicluster:charts.version is 1; it must be a chart's version, such as 2026.8.3, in quotes.",
      'fleet/mesh.yaml: linkDefaults.maxMirrors is "none"; it must be a whole number of at least 1, without quotes.',
      'linkerd-multicluster:links[0].target is "north"; it must be one of the configured clusters, "east", "west".',
    ]);
    deepEqual(
      mistakesIn(
        { manage: "mirrors" },
        `${mesh}links: [{ source: east, target: west, mirroring: controller }]`,
      ),
      [
        'fleet/mesh.yaml: links[0].mirroring is "controller"; it must be pulumi where linkerd-multicluster:manage is "mirrors", which provisions no controller.',
      ],
    );
    deepEqual(mistakesIn({}, `${mesh}toplogy: mesh`), [
      "fleet/mesh.yaml: toplogy is not a key of this program's config; the nearest key is topology.",
    ]);
  });

  for (const [name, text, why] of [
    [
      "there is not",
      Object.assign(new Error(), { code: "ENOENT" }),
      "can't be read (there is no such file)",
    ],
    [
      "that can't be read",
      Object.assign(new Error(), { code: "EACCES" }),
      "can't be read (EACCES)",
    ],
    ["that is not YAML", "clusters:\n  west: [canary", "is not YAML (line 2)"],
    ["that says a key twice", "manage: all\nmanage: all", "is not YAML (line 2)"],
    ["that holds a list", "- canary", "holds no map of keys"],
  ] as const)
    it(`is a mistake where it is one ${name}`, () => {
      deepEqual(mistakesIn({}, text), [
        `linkerd-multicluster:mesh is "fleet/mesh.yaml", which ${why}; it must be the path of a YAML file.`,
      ]);
    });

  it("says nothing of what is one stack's alone, and has no prefixes", () => {
    deepEqual(mistakesIn({}, "mesh: other.yaml\nsources: [west]\nlinkerd-multicluster:links: []"), [
      "fleet/mesh.yaml: mesh is set; it must be set in the config of each stack itself.",
      "fleet/mesh.yaml: sources is set; it must be set in the config of each stack itself.",
      'fleet/mesh.yaml: "linkerd-multicluster:links" has a prefix; the keys of a mesh file are written without "linkerd-multicluster:".',
    ]);
  });

  it("holds no private key", () => {
    const notBefore = new Date();
    const notAfter = new Date(notBefore.getTime() + 24 * 60 * 60 * 1000);
    const anchor = authority({ notBefore, notAfter });
    const issuer = authority({ notBefore, notAfter, signer: anchor });
    const trust = {
      anchors: anchor.pem,
      issuers: { west: { certificate: issuer.pem, key: issuer.keyPem } },
    };
    const text = `clusters: { west: }\ntrust: ${JSON.stringify(trust)}`;
    const [mistake = "", ...others] = mistakesIn({}, text);
    deepEqual(others, []);
    equal(
      mistake,
      "fleet/mesh.yaml: trust.issuers.west.key is plain text; it must be a secret in the config of the cluster's own stack, whose trust then replaces this one, and a key that was in a file as it is should be replaced.",
    );
    equal(configOf({ trust: {} }, text).trust.kind, "generated");
  });
});
