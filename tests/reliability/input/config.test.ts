import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { sections } from "../../../config/keys/keys.ts";
import { parseConfig, parseTexts } from "../../../config/parse.ts";
import { messageOf } from "../../../engine/base/user-error.ts";
import { count, repeated } from "../effort.ts";
import { canary, deeplyNested, hostile, type Json, jsonOf, mutate } from "./hostile.ts";

const keys = [...new Set(Object.values(sections).flatMap((section) => Object.keys(section.keys)))];
const name = fc.constantFrom("west", "east", "north");
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...keys, "west", "east", "north") },
  fc.constantFrom("__proto__", "constructor", "toString", "prototype", "WEST", "", "a b", "\u202e"),
  fc.string({ unit: "binary", maxLength: 12 }),
);

const word = fc.constantFrom<Json>(
  ...["mesh", "links", "mirrors", "trust", "controller", "pulumi", "keep", "50%", false, true, 7],
);

/** Any JSON, often at keys that exist. */
const { anything } = fc.letrec<{ anything: Json }>((tie) => ({
  anything: fc.oneof(
    { maxDepth: 5 },
    hostile,
    fc.oneof(name, word),
    fc.array(tie("anything"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("anything")), { maxLength: 6 }).map((all) => entries(all)),
  ),
}));

/** Like JSON.parse, this treats `__proto__` as a key like any other. */
function entries(all: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(all);
}

const selector = {
  matchLabels: { app: "web" },
  matchExpressions: [{ key: "a", operator: "Exists" }],
};
const gateway = { name: "gw", addresses: ["192.0.2.1", "gw.example.com"], port: 4143 };
const west = {
  context: "arn:aws:eks:eu-west-1:1:cluster/x",
  kubeconfig: "~/.kube/other",
  uid: "6a0d1cf8",
  clusterDomain: "cluster.local",
  apiServer: "https://west.example.com:6443",
  gateway,
  values: { "linkerd-control-plane": { proxy: { logLevel: "warn" } } },
  gatewayApi: "assume",
};
const setting = {
  headless: true,
  readiness: "follow",
  maxDeletions: "50%",
  unreachable: "fail",
  remoteDiscoverySelector: selector,
  federatedServiceSelector: {},
  excludedLabels: ["a", "example.com/*"],
  excludedAnnotations: ["Example.com/x"],
  namespaces: ["shop", "team-*"],
  excludedNamespaces: [],
  copiedMetadata: ["prometheus.io/*"],
};

/** This is valid. Random changes may make keys that don't go together. */
const valid = {
  clusters: { west, east: null, north: { gateway: false } },
  links: [
    { source: "east", target: "west", selector, gateway, ...setting, credentialsMaxAge: 1 },
    { source: "west", target: "north", mirroring: "controller" },
  ],
  linkDefaults: setting,
  topology: { hub: "west" },
  manage: "all",
  linkerdCheck: true,
  linkerdNamespace: "linkerd",
  trust: { generation: 2, issuerValidityDays: 90, renewBeforeDays: 30 },
  charts: { version: "2026.8.3", timeoutSeconds: 60 },
};

const mutations = fc.array(
  fc.record({
    at: fc.nat(),
    how: fc.constantFrom("replace" as const, "replace", "add", "remove", "remove", "rename"),
    key,
    value: fc.oneof({ weight: 30, arbitrary: hostile }, word, anything, deeplyNested),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Checks that a config or printable sentences result, and never an error. */
function judged(raw: Json): "config" | "mistakes" {
  count("inputs");
  const before = jsonOf(raw);
  const parsed = parseConfig(raw);
  equal(jsonOf(raw), before, "what was given was changed");
  deepEqual(parseConfig(raw), parsed);
  if ("config" in parsed) {
    ok(parsed.config.clusters.size > 0);
    return "config";
  }
  ok(parsed.mistakes.length > 0, "no config, and no mistake");
  for (const mistake of parsed.mistakes) {
    ok(/^linkerd-multicluster\b.* .*; .*\.$/.test(mistake), `no sentence: ${mistake}`);
    ok(mistake.length <= 1_500, `${mistake.length} characters: ${mistake.slice(0, 300)}`);
    ok(!/[\p{C}\p{Zl}\p{Zp}]/u.test(mistake), `not printable: ${JSON.stringify(mistake)}`);
    ok(!mistake.includes(canary), `tells a secret: ${mistake}`);
  }
  return "mistakes";
}

describe("bad input in the stack config", () => {
  it("any JSON at any key is a config or mistakes, each one printable sentence", () => {
    fc.assert(
      fc.property(fc.oneof(anything, deeplyNested), (raw) => {
        judged(raw);
      }),
      { numRuns: repeated(4_000) },
    );
  });

  it("a valid config with one wrong value is a config or mistakes", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(mutations, (all) => {
        const changed: Json = structuredClone(valid);
        for (const mutation of all) mutate(changed, mutation);
        seen.add(judged(changed));
      }),
      { numRuns: repeated(200) },
    );
    equal(seen.size, 2);
  });

  it("never reveals a misplaced secret", () => {
    const secret = fc.constantFrom<Json>(
      ...[canary, `-----BEGIN PRIVATE KEY-----\n${canary}`, [canary]],
      ...[{ certificate: canary, key: canary }, { tls: { key: canary } }, Buffer.from(canary)],
    );
    const secrets = fc.record(
      {
        anchors: secret,
        issuers: fc.oneof(secret, fc.dictionary(name, secret), fc.constant({ west: { key: 1 } })),
      },
      { requiredKeys: [] },
    );
    const confidential = fc.record(
      { kubeconfig: secret, values: fc.record({ "linkerd-crds": secret }) },
      { requiredKeys: [] },
    );
    const withUser = fc.constantFrom(`https://u:${canary}@h`, `http://${canary}@h/x`);
    fc.assert(
      fc.property(secrets, confidential, withUser, (trust, access, url) => {
        judged({
          clusters: { west: { ...access, apiServer: url } },
          trust,
          charts: { source: url },
        });
      }),
      { numRuns: repeated(300) },
    );
  });

  it("as text from Pulumi, it is a config or a message", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      hostile.map((one) => jsonOf(one)),
      anything.map((one) => jsonOf(one)),
      fc.constant(JSON.stringify(valid.clusters)),
    );
    const full = key.map((one) => `linkerd-multicluster:${one}`);
    const texts = fc.array(fc.tuple(fc.oneof(full, key), value), { maxLength: 6 });
    fc.assert(
      fc.property(texts, (all) => {
        count("inputs");
        const readText = () => JSON.stringify(Object.fromEntries(all));
        try {
          parseTexts(Object.fromEntries(all), "The stack config", { readText });
        } catch (error) {
          const problem = messageOf(error);
          ok(problem.startsWith("The stack config needs a change:\n  "), problem);
          ok(!/[\p{C}\p{Zl}\p{Zp}]/u.test(problem.replaceAll("\n  ", "")), problem);
        }
      }),
      { numRuns: repeated(300) },
    );
  });
});
