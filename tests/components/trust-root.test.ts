import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { TrustRoot } from "../../components/trust-root.ts";
import type { GeneratedTrust, TrustConfig } from "../../config/mesh.ts";
import { isIssuedBy, knownCertificates, onlyCertificate } from "../../engine/trust/certificate.ts";
import type { LiveTrust } from "../../engine/trust/live.ts";
import { keyProblem } from "../../engine/trust/requirements.ts";
import { unknownValue } from "../../engine/providers/contract.ts";
import { authority, day, issuerUnder } from "../unit/trust/certificates.ts";
import { configOf } from "../unit/config/table.ts";
import { absent, but, live, present } from "../unit/trust/live.ts";
import {
  isSecretOutput,
  type MockedStack,
  mockedStack,
  redacted,
  type State,
  valueOf,
} from "./mocked-stack.ts";

const key = "tls:index/privateKey:PrivateKey";
const selfSigned = "tls:index/selfSignedCert:SelfSignedCert";
const request = "tls:index/certRequest:CertRequest";
const locallySigned = "tls:index/locallySignedCert:LocallySignedCert";
const signing = ["cert_signing", "crl_signing"];
/** A config without keys of trust has this. */
const generated = configOf({}).trust as GeneratedTrust;
const second = { ...generated, generation: 2 };

interface RootWorld {
  readonly clusters?: Readonly<Record<string, LiveTrust>>;
  readonly now?: Date;
  readonly state?: State;
  readonly preview?: boolean;
}

function rootOf(
  trust: TrustConfig,
  { clusters = { west: absent, east: absent }, now = new Date(), state, preview }: RootWorld = {},
) {
  const issuerNames = new Map([
    ["west", "identity.linkerd.cluster.local"],
    ["east", "identity.linkerd.east.local"],
  ]);
  const args = { trust, live: live(clusters), issuerNames, now };
  return mockedStack(() => new TrustRoot("trust", args), state, preview);
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * day);
}

/** Returns the first generation, and a cluster that has it. */
async function firstOf({ result }: MockedStack<TrustRoot>) {
  const anchor = onlyCertificate(await valueOf(result.issuance.anchorsPem));
  const issuer = onlyCertificate(await valueOf(result.issuerFor("west").certPem));
  const west = but(present([], undefined), { bundle: [anchor], issuer: [issuer] });
  return { anchor, issuer, west };
}

/** Rejects as the output does. */
function failureOf(output: unknown): Promise<unknown> {
  return (output as { readonly promise: () => Promise<unknown> }).promise();
}

describe("TrustRoot: generated", () => {
  let first: MockedStack<TrustRoot>;
  before(async () => {
    first = await rootOf(generated, { now: new Date(1000 * day) });
  });

  it("says so if a run leaves out certificates that don't exist yet", async () => {
    const leftOut = /leaves out a certificate .*run pulumi up once without these options/;
    const withoutAnchor = await rootOf(generated, {
      state: new Map([[`${selfSigned} trust-1-anchor`, {}]]),
    });
    await rejects(failureOf(withoutAnchor.result.issuance.anchorsPem), leftOut);
    const state = new Map([[`${locallySigned} trust-1-issuer-east`, {}]]);
    const withoutIssuer = await rootOf(generated, { state });
    await rejects(failureOf(withoutIssuer.result.issuerFor("east").certPem), leftOut);
  });

  it("creates one anchor, and a key, a request and an issuer per cluster", () => {
    deepEqual(
      first.order.toSorted(),
      [
        ...[`${key} trust-1-anchor`, `${selfSigned} trust-1-anchor`],
        ...["east", "west"].flatMap((cluster) =>
          [key, request, locallySigned].map((type) => `${type} trust-1-issuer-${cluster}`),
        ),
      ].sort(),
    );
  });

  it("creates an anchor on P-256 that can sign and is never replaced", () => {
    const { inputs, replacementTrigger } = first.resource(key, "trust-1-anchor");
    deepEqual(inputs, { algorithm: "ECDSA", ecdsaCurve: "P256" });
    equal(replacementTrigger, undefined);
    const anchor = first.resource(selfSigned, "trust-1-anchor");
    const settings = {
      allowedUses: signing,
      isCaCertificate: true,
      setSubjectKeyId: true,
      earlyRenewalHours: 0,
      validityPeriodHours: 3650 * 24,
      subject: { commonName: "root.linkerd.cluster.local" },
    };
    deepEqual(redacted(anchor.inputs), { ...settings, privateKeyPem: "[secret]" });
    deepEqual(anchor.ignoreChanges.toSorted(), Object.keys(settings).sort());
  });

  it("creates issuers under it, each with its own key, renewed together", async () => {
    const { resource, result } = first;
    const { caCertPem, certRequestPem, ...settings } = resource(
      locallySigned,
      "trust-1-issuer-west",
    ).inputs;
    deepEqual(redacted(settings), {
      allowedUses: signing,
      isCaCertificate: true,
      setSubjectKeyId: true,
      earlyRenewalHours: 1440,
      validityPeriodHours: 8760,
      caPrivateKeyPem: "[secret]",
    });
    deepEqual(resource(request, "trust-1-issuer-east").inputs["subject"], {
      commonName: "identity.linkerd.east.local",
    });
    // An issuer serves for 305 days.
    equal(resource(key, "trust-1-issuer-west").replacementTrigger, 3);
    const issuers = ["west", "east"].map((cluster) => result.issuerFor(cluster));
    const { anchor } = await firstOf(first);
    for (const { certPem } of issuers)
      equal(isIssuedBy(onlyCertificate(await valueOf(certPem)), anchor), true);
    const keys = await Promise.all(issuers.map(({ keyPem }) => valueOf(keyPem)));
    equal(new Set(keys).size, 2);
  });

  it("reports when the anchor and the issuers expire, and has nothing left to do", async () => {
    const issuers = ["the issuer of cluster west", "the issuer of cluster east"];
    const expiries = await valueOf(first.result.expiries);
    deepEqual(Object.keys(expiries), ["the trust anchor", ...issuers]);
    deepEqual([await valueOf(first.result.stage), first.said], ["settled", []]);
  });

  it("gives every cluster the extra anchors, and removes unknown ones only if the config says so", async () => {
    const [extra, stranger] = [authority({ name: "extra" }), authority({ name: "stranger" })];
    const state: State = new Map();
    const { anchor, west: east } = await firstOf(await rootOf(generated, { state }));
    const clusters = { west: but(east, { bundle: [anchor, stranger.certificate] }), east };
    const bundles = async (trust: TrustConfig) => {
      const { result } = await rootOf(trust, { clusters, state });
      const pems = ["west", "east"].map((cluster) => valueOf(result.bundleFor(cluster)));
      const known = (await Promise.all(pems)).map(knownCertificates);
      return known.map((bundle) => bundle.map(({ name }) => name));
    };
    const root = "root.linkerd.cluster.local";
    deepEqual(await bundles(generated), [[root, "stranger"], [root]]);
    deepEqual(await bundles({ ...generated, unknownAnchors: "remove" }), [[root], [root]]);
    const [, adopted] = await bundles({ ...generated, extraAnchors: extra.pem });
    deepEqual(adopted, [root, "extra"]);
  });

  it("creates nothing with external trust, and reports what expires", async () => {
    const root = authority({ name: "root" });
    const soon = issuerUnder(root, { notAfter: new Date(Date.now() + day) });
    const clusters = { west: present([root], soon) };
    const { order, said, result } = await rootOf({ kind: "external" }, { clusters });
    deepEqual([order, await valueOf(result.stage)], [[], "settled"]);
    match(said.join("\n"), /^\w+: The issuer of cluster west, .* expires in /);
  });

  it("passes on provided anchors and issuers, which no resource stores, and reports what expires", async () => {
    const root = authority({ name: "root" });
    const [west, east] = [issuerUnder(root, { notAfter: inDays(5.5) }), issuerUnder(root)];
    const issuers = new Map([
      ["west", { certificate: west.pem, key: west.keyPem }],
      ["east", { certificate: east.pem, key: east.keyPem }],
    ]);
    const trust = { kind: "provided", anchors: root.pem, ignorePods: [], issuers } as const;
    const { result, order, said } = await rootOf(trust);
    deepEqual(order, []);
    equal(await valueOf(result.bundleFor("east")), root.pem.trim());
    const { certPem, keyPem } = result.issuerFor("east");
    deepEqual([await valueOf(certPem), await valueOf(keyPem)], [east.pem.trim(), east.keyPem]);
    deepEqual([await isSecretOutput(certPem), await isSecretOutput(keyPem)], [false, true]);
    match(
      said.join("\n"),
      /^error: The issuer of cluster west, .* expires in 5 days, .* Provide a new one as linkerd-multicluster:trust\.issuers\.west\.$/m,
    );
  });
});

describe("TrustRoot: a rotation", () => {
  it("takes one step per run from one generation's anchor and issuers to the next", async () => {
    const state: State = new Map();
    const now = new Date();
    /** Returns what a run gives to west, in words, and what west has afterwards. */
    async function run(trust: TrustConfig, west: LiveTrust) {
      const { result } = await rootOf(trust, { clusters: { west, east: west }, now, state });
      const bundle = knownCertificates(await valueOf(result.bundleFor("west")));
      const { certPem, keyPem } = result.issuerFor("west");
      const issuer = onlyCertificate(await valueOf(certPem));
      equal(keyProblem(await valueOf(keyPem), issuer), undefined);
      equal(await isSecretOutput(keyPem), true);
      const signer = bundle.findIndex((anchor) => isIssuedBy(issuer, anchor));
      const words = `${await valueOf(result.stage)}: trusts ${bundle.length}, issues under ${signer + 1}`;
      const pod = { namespace: "shop", pod: "web-0", createdAt: now, started: true };
      const after = but(present([], undefined), {
        bundle,
        issuer: [issuer],
        issuerSince: new Date(0),
        certificateLifetimeMs: 0,
        proxies: { value: [{ ...pod, trusts: bundle }] },
      });
      return { words, after };
    }
    let west: LiveTrust = absent;
    const words: string[] = [];
    for (const trust of [generated, generated, second, second, second, second]) {
      const ran = await run(trust, west);
      words.push(ran.words);
      west = ran.after;
    }
    deepEqual(words, [
      "settled: trusts 1, issues under 1",
      "settled: trusts 1, issues under 1",
      "bundle: trusts 2, issues under 2",
      "reissue: trusts 2, issues under 1",
      "drop: trusts 1, issues under 1",
      "settled: trusts 1, issues under 1",
    ]);
  });

  it("says at each step what to do, and reports the expiry of both anchors", async () => {
    const state: State = new Map();
    const { west } = await firstOf(await rootOf(generated, { state }));
    const { said, result } = await rootOf(second, { clusters: { west }, state });
    match(said[0] ?? "", /^warning: Rotation, step 1 of 3: /);
    equal("the trust anchor of generation 1" in (await valueOf(result.expiries)), true);
  });
});

describe("TrustRoot: what expires", () => {
  it("reports an expiring anchor in time, and fails the run when it is nearly too late", async () => {
    const at = async (days: number) => {
      const { said, exitCode } = await rootOf(generated, { now: inDays(days) });
      return [said[0] ?? "", exitCode] as const;
    };
    deepEqual(await at(0), ["", undefined]);
    match(
      (await at(3600.5))[0],
      /^warning: The trust anchor, root\.linkerd\.cluster\.local .* expires in 49 days, on .* Start a rotation: set linkerd-multicluster:trust\.generation to 2\.$/,
    );
    const [error, exitCode] = await at(3640);
    match(error, /^error: The trust anchor/);
    equal(exitCode, 32);
  });

  it("warns of it in a preview too, which it doesn't fail, before issuers are renewed", async () => {
    const state: State = new Map();
    await rootOf(generated, { state });
    for (const name of state.keys())
      if (name.includes("LocallySignedCert")) state.set(name, { certPem: unknownValue });
    const { said, exitCode } = await rootOf(generated, { now: inDays(3640), state, preview: true });
    match(said[0] ?? "", /^warning: The trust anchor/);
    equal(exitCode, undefined);
  });
});
