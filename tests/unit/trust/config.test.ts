import { deepEqual, equal, match } from "node:assert/strict";
import { lifetimeIn } from "../../../engine/trust/lifetime.ts";
import { trustRootArgs } from "../../../components/trust-root.ts";
import { parseConfig } from "../../../config/parse.ts";
import { plainIssuerKeys } from "../../../config/stack.ts";
import { configOf, mistakesIn, testSentences, westAndEast } from "../config/table.ts";
import { type Authority, authority, day, issuerUnder, now } from "./certificates.ts";

const root = authority({ name: "root" });
const leaf = authority({ name: "leaf", isCa: false });
const own = ({ pem, keyPem }: Authority) => ({ certificate: pem, key: keyPem });
const [west, east] = [own(issuerUnder(root)), own(issuerUnder(root))];
const anchors = root.pem;
const provided = { anchors, issuers: { west, east } };

describe("stack config: trust", () => {
  it("takes settings for generated anchors", () => {
    const trust = {
      generation: 2,
      anchorValidityDays: 90,
      issuerValidityDays: 90,
      renewBeforeDays: 30,
      unknownAnchors: "remove",
      ignorePods: ["west", "east/shop", "west/shop/web-0.x"],
    };
    deepEqual(configOf({ trust }).trust, { kind: "generated", ...trust });
  });

  it("takes provided anchors and issuers", () => {
    const issuers = new Map(Object.entries(provided.issuers));
    const expected = { kind: "provided", anchors, issuers, ignorePods: [] };
    deepEqual(configOf({ trust: provided }).trust, expected);
  });

  it("takes external trust", () => {
    deepEqual(configOf({ trust: { external: true } }).trust, { kind: "external" });
    equal(configOf({ trust: { external: false } }).trust.kind, "generated");
  });

  it("needs no issuer for a cluster that is revoked or another stack's", () => {
    const trust = { anchors, issuers: { west } };
    const revoked = { clusters: { west: null, east: { revoked: true } } };
    for (const others of [revoked, { sources: ["west"] }])
      equal(configOf({ trust, ...others }).trust.kind, "provided");
  });

  it("reports a missing issuer for a cluster called constructor", () => {
    const trust = { anchors, issuers: { west } };
    const mistakes = mistakesIn({ clusters: { constructor: {}, west: {} }, trust });
    match(mistakes.join(), /trust\.issuers\.constructor is missing/);
  });

  const trust = (keys: object) => `trust: ${JSON.stringify(keys)}`;
  const withEast = (issuer: unknown) => trust({ anchors, issuers: { west, east: issuer } });
  const expired = { notAfter: new Date("2026-01-01T00:00:00Z") };
  const middle = authority({ name: "middle", signer: root, ...expired });
  const below = own(issuerUnder(middle));
  const days = "a whole number of days from 1 to 36500";
  const pods = "<cluster>/<namespace>/<pod>, <cluster>/<namespace> or <cluster>";
  testSentences(`
# invalid numbers
trust: { generation: "2", issuerValidityDays: 0, renewBeforeDays: 1.5 }
! trust.generation is a string of 1 characters; it must be a positive whole number, without quotes.
! trust.issuerValidityDays is 0; it must be ${days}.
! trust.renewBeforeDays is 1.5; it must be ${days}.

# an issuer that is renewed too early and outlives the anchor
trust: { anchorValidityDays: 50, issuerValidityDays: 60 }
! trust.renewBeforeDays is 60; it must be less than the 60 of issuerValidityDays.
! trust.issuerValidityDays is 60; it must be at most the 50 of anchorValidityDays.

# an invalid value of unknownAnchors
trust: { unknownAnchors: spread }
! trust.unknownAnchors is a string of 6 characters; it must be keep or remove.

# an extra anchor that is no CA
${trust({ extraAnchors: leaf.pem })}
! trust.extraAnchors has "leaf" as certificate 1; it must be a CA that may sign certificates.

# extra anchors that leave no room for the generated ones
${trust({ extraAnchors: anchors.repeat(49) })}
! trust.extraAnchors is a string of ${anchors.length * 49} characters; it must be PEM of at most 48 certificates.

# ignored pods in another form
trust: { ignorePods: [west/shop/web-0/x, West] }
! trust.ignorePods[0] is a string of 17 characters; it must be ${pods}.
! trust.ignorePods[1] is a string of 4 characters; it must be ${pods}.

# ignored pods of an unknown cluster
trust: { ignorePods: [north/shop] }
! trust.ignorePods[0] is for cluster "north"; it must be for one of the configured clusters.

# other settings next to external
trust: { external: true, generation: 2, ignorePods: [] }
! trust.generation is set; it must be left out, as trust.external is true.
! trust.ignorePods is set; it must be left out, as trust.external is true.

# settings for generated anchors next to provided ones
${trust({ ...provided, generation: 2, extraAnchors: anchors })}
! trust.generation is set; it must be left out, as trust.anchors provides the certificates.
! trust.extraAnchors is set; it must be left out, as trust.anchors provides the certificates.

# issuers without anchors
${trust({ issuers: provided.issuers })}
! trust.anchors is missing; it must be set, as trust.issuers is.

# anchors without issuers
${trust({ anchors })}
! trust.issuers.west is missing; it must be set, as trust.anchors is.
! trust.issuers.east is missing; it must be set, as trust.anchors is.

# an issuer for an unknown cluster
${trust({ anchors, issuers: { west, east, north: west } })}
! trust.issuers.north is for cluster "north"; it must be for one of the configured clusters.

# anchors that are no PEM
${trust({ ...provided, anchors: "hunter2" })}
! trust.anchors is a string of 7 characters; it must be PEM, with at least one block BEGIN CERTIFICATE.

# an anchor that is no CA
${trust({ ...provided, anchors: anchors + leaf.pem })}
! trust.anchors has "leaf" as certificate 2; it must be a CA that may sign certificates.

# every mistake of an issuer
${withEast({ certificate: leaf.pem, key: west.key })}
! trust.issuers.east.certificate is "leaf"; it must be a CA that may sign certificates.
! trust.issuers.east.certificate is "leaf"; it must be signed by one of trust.anchors.
! trust.issuers.east.key is a string of ${west.key.length} characters; it must be the private key of the certificate with it.

# an expired intermediate
${withEast({ ...below, certificate: below.certificate + middle.pem })}
! trust.issuers.east.certificate has "middle" in its chain; it must be valid now (it expired on 2026-01-01T00:00:00.000Z).

# an issuer that is no PEM
${withEast({ ...east, certificate: "x" })}
! trust.issuers.east.certificate is a string of 1 characters; it must be PEM, with at least one block BEGIN CERTIFICATE.

# missing and unknown keys of an issuer
${withEast({ key: "hunter2", crt: "x" })}
! trust.issuers.east.certificate is missing; it must be PEM of a certificate.
! trust.issuers.east.crt is not a key of an issuer; the keys are certificate, key.

# an issuer that is a text, without quoting it
${withEast("hunter2")}
! trust.issuers.east is a string of 7 characters; it must be a map of certificate, key.
`);

  it("reports an unencrypted key with the command that encrypts it", () => {
    const raw = { clusters: westAndEast, trust: provided };
    const isPlainKey = (cluster: string) => cluster === "east";
    deepEqual(parseConfig(raw, { now, isPlainKey }), {
      mistakes: [
        "linkerd-multicluster:trust.issuers.east.key is plain text in the stack config; it must be a secret, and a key that was in a file as it is should be replaced: pulumi config set --secret --path 'linkerd-multicluster:trust.issuers.east.key' < key.pem.",
      ],
    });
  });

  it("finds unencrypted keys in the stack file", () => {
    const secret = ["linkerd-multicluster:trust"];
    const file = [
      "config:",
      "  linkerd-multicluster:trust:",
      "    issuers:",
      "      west: { certificate: x, key: { secure: AAAA } }",
      "      east: { certificate: x, key: hunter2 }",
    ].join("\n");
    const plain = (secretKeys: readonly string[], text: string | Error) =>
      ["west", "east", "constructor"].filter(
        plainIssuerKeys(secretKeys, () => {
          if (typeof text !== "string") throw text;
          return text;
        }),
      );
    deepEqual(plain(secret, file), ["east"]);
    deepEqual(plain(secret, Object.assign(new Error(), { code: "ENOENT" })), []);
    deepEqual(plain(secret, "config:\n  linkerd-multicluster:trust: { secure: AAAA }\n"), []);
    deepEqual(plain(["linkerd-multicluster:clusters"], file), ["west", "east", "constructor"]);
  });

  it("never quotes a key", () => {
    const { key } = west;
    const keys = { west: { certificate: key, key }, east: { certificate: anchors, key } };
    const configs = [
      { ...provided, anchors: key },
      { ...provided, issuers: keys },
      { ...provided, issuers: { west: key } },
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

describe("trust: from the stack's config", () => {
  it("names issuers after the cluster's trust domain", () => {
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
    equal(args.certificateLifetimeMs, day);
  });

  it("takes the longest lifetime of certificates in any cluster", () => {
    const values = {
      "linkerd-control-plane": { identity: { issuer: { issuanceLifetime: "48h" } } },
    };
    const clusters = { west: { values }, east: null };
    const longest = (charts: object) =>
      trustRootArgs(configOf({ clusters, charts }), { trust: new Map() }).certificateLifetimeMs;
    equal(longest({}), 2 * day);
    const ofAll = { identity: { issuer: { issuanceLifetime: "720h" } } };
    equal(longest({ controlPlane: { values: ofAll } }), 30 * day);
    const nested = { nested: "inner", values: { inner: ofAll } };
    equal(longest({ controlPlane: nested }), 30 * day);
    equal(longest({ controlPlane: { ...nested, values: ofAll } }), 2 * day);
  });

  it("reads a lifetime in Go's notation, by default a day, and takes any other for a very long one", () => {
    deepEqual(["1h30m", undefined, null].map(lifetimeIn), [5_400_000, day, day]);
    for (const odd of ["a day", 86400]) equal(lifetimeIn(odd) > 1000 * day, true);
  });
});
