import { deepEqual, equal, match, throws } from "node:assert/strict";
import type { TrustConfig } from "../../config/mesh.ts";
import { isIssuedBy, knownCertificates, onlyCertificate } from "../../engine/trust/certificate.ts";
import type { LiveTrust } from "../../engine/trust/live.ts";
import { keyProblem } from "../../engine/trust/requirements.ts";
import { unknownValue } from "../../engine/providers/contract.ts";
import { authority, day, issuerUnder } from "../unit/trust/certificates.ts";
import { absent, present } from "../unit/trust/live.ts";
import {
  isSecretOutput,
  type MockedStack,
  redacted,
  type State,
  unwrapped,
  valueOf,
} from "./mocked-stack.ts";
import type { TrustRoot } from "../../components/trust-root.ts";
import { generated, rootOf } from "./trust-roots.ts";

const key = "tls:index/privateKey:PrivateKey";
const selfSigned = "tls:index/selfSignedCert:SelfSignedCert";
const request = "tls:index/certRequest:CertRequest";
const locallySigned = "tls:index/locallySignedCert:LocallySignedCert";
const signing = ["cert_signing", "crl_signing"];
const second = { ...generated, generation: 2 };

/** What a cluster with the first generation has. */
async function firstOf({ result }: MockedStack<TrustRoot>) {
  const anchor = onlyCertificate(await valueOf(result.anchorsPem));
  const issuer = onlyCertificate(await valueOf(result.issuerFor("west").certPem));
  const west: LiveTrust = { ...present([], undefined), bundle: [anchor], issuer: [issuer] };
  return { anchor, issuer, west };
}

describe("TrustRoot: generated", () => {
  let first: MockedStack<TrustRoot>;
  before(async () => {
    first = await rootOf(generated, { now: new Date(1000 * day) });
  });

  it("one anchor, and for each cluster a key, a request and an issuer", () => {
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

  it("an anchor that can sign, on P-256, and that nothing replaces", () => {
    const { inputs, replacementTrigger } = first.resource(key, "trust-1-anchor");
    deepEqual(
      [inputs, replacementTrigger],
      [{ algorithm: "ECDSA", ecdsaCurve: "P256" }, undefined],
    );
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

  it("issuers under it, each with a key of its own that is renewed with it", async () => {
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
    // 305 days is how long an issuer serves.
    equal(resource(key, "trust-1-issuer-west").replacementTrigger, 3);
    const issuers = ["west", "east"].map((cluster) => result.issuerFor(cluster));
    const { anchor } = await firstOf(first);
    for (const { certPem } of issuers)
      equal(isIssuedBy(onlyCertificate(await valueOf(certPem)), anchor), true);
    const keys = await Promise.all(issuers.map(({ keyPem }) => valueOf(keyPem)));
    equal(new Set(keys).size, 2);
  });

  it("every cluster trusts the anchor; nothing remains to be done", async () => {
    const { result, said } = await rootOf(generated);
    const pem = await valueOf(result.anchorsPem);
    equal(await valueOf(result.bundleFor("west")), pem);
    equal(pem, onlyCertificate(pem).pem);
    deepEqual(
      [await valueOf(result.stage), await valueOf(result.notes), said],
      ["settled", [], []],
    );
    deepEqual(Object.keys(await valueOf(result.expiries)), [
      "the trust anchor",
      ...["the issuer of cluster west", "the issuer of cluster east"],
    ]);
  });

  it("refuses to replace the issuers of somebody else, and says why", async () => {
    const stranger = authority({ name: "stranger" });
    const clusters = { west: present([stranger], issuerUnder(stranger)), east: absent };
    const { result } = await rootOf(generated, { clusters });
    const { west, ...others } = await valueOf(result.refused);
    match(west ?? "", /^Cluster west uses the issuer /);
    deepEqual(others, {});
  });

  it("keys are secret wherever they go", async () => {
    const { resources, result } = await rootOf(second);
    const all = (read: (inputs: unknown) => unknown) =>
      JSON.stringify(resources.map(({ inputs }) => read(inputs))).includes("PRIVATE KEY");
    deepEqual([all(unwrapped), all(redacted)], [true, false]);
    const { keyPem, certPem } = result.issuerFor("west");
    const outputs = [keyPem, certPem, result.bundleFor("west")];
    deepEqual(await Promise.all(outputs.map(isSecretOutput)), [true, false, false]);
  });

  it("extra anchors go to every cluster, and unknown ones where the config says so", async () => {
    const [extra, stranger] = [authority({ name: "extra" }), authority({ name: "stranger" })];
    const state: State = new Map();
    const { anchor, west: east } = await firstOf(await rootOf(generated, { state }));
    const clusters = { west: { ...east, bundle: [anchor, stranger.certificate] }, east };
    const bundles = async (trust: TrustConfig) => {
      const { result } = await rootOf(trust, { clusters, state });
      const names = ["west", "east"].map(async (cluster) => {
        const bundle = knownCertificates(await valueOf(result.bundleFor(cluster)));
        return bundle.map(({ name }) => name);
      });
      return Promise.all(names);
    };
    const root = "root.linkerd.cluster.local";
    deepEqual(await bundles(generated), [[root, "stranger"], [root]]);
    deepEqual(await bundles({ ...generated, unknownAnchors: "remove" }), [[root], [root]]);
    const [, adopted] = await bundles({ ...generated, extraAnchors: extra.pem });
    deepEqual(adopted, [root, "extra"]);
  });

  it("external: makes nothing, and tells what expires", async () => {
    const root = authority({ name: "root" });
    const soon = issuerUnder(root, { notAfter: new Date(Date.now() + day) });
    const clusters = { west: present([root], soon) };
    const { order, said, result } = await rootOf({ kind: "external" }, { clusters });
    deepEqual([order, await valueOf(result.stage)], [[], "settled"]);
    match(said.join("\n"), /^\w+: The issuer of cluster west, .* expires in /);
  });

  it("has nothing for a cluster that it was not told of", () => {
    throws(() => first.result.issuerFor("north"), {
      message: "there is no issuer for cluster north",
    });
  });
});

describe("TrustRoot: a rotation", () => {
  it("makes the next generation beside the one before", async () => {
    const { order } = await rootOf({ ...generated, generation: 3 });
    deepEqual(
      order.filter((id) => id.startsWith(selfSigned)).toSorted(),
      ["trust-2-anchor", "trust-3-anchor"].map((name) => `${selfSigned} ${name}`),
    );
    equal(order.length, 16);
  });

  it("takes one step in each run, from the anchor and issuers of one generation to the next", async () => {
    const state: State = new Map();
    const now = new Date();
    /** What a run gives to west, in words, and what west is then. */
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
      const after: LiveTrust = {
        state: "present",
        bundle,
        issuer: [issuer],
        issuerSince: new Date(0),
        proxies: { state: "read", proxies: [{ ...pod, trusts: bundle }] },
      };
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

  it("says at each step what is to be done", async () => {
    const state: State = new Map();
    const { west } = await firstOf(await rootOf(generated, { state }));
    const { said, result } = await rootOf(second, { clusters: { west }, state });
    match(said[0] ?? "", /^warning: Rotation, step 1 of 3: /);
    deepEqual(await valueOf(result.notes), [said[0]?.replace("warning: ", "")]);
    equal("the trust anchor of generation 1" in (await valueOf(result.expiries)), true);
  });
});

describe("TrustRoot: what expires", () => {
  const inDays = (days: number) => new Date(Date.now() + days * day);

  it("says when the anchor runs out, in time; what is nearly too late fails the run at its end", async () => {
    const failures: number[] = [];
    const saidAt = async (days: number) => {
      const failAtEnd = (): void => void failures.push(days);
      return (await rootOf(generated, { now: inDays(days), failAtEnd })).said[0] ?? "";
    };
    equal(await saidAt(0), "");
    match(
      await saidAt(3600.5),
      /^warning: The trust anchor, root\.linkerd\.cluster\.local .* expires in 49 days, on .* Start a rotation: set linkerd-multicluster:trust\.generation to 2\.$/,
    );
    match(await saidAt(3640), /^error: The trust anchor/);
    deepEqual([failures.includes(0), failures.includes(3640)], [false, true]);
  });

  it("says so in a preview too, in which issuers are yet to be renewed", async () => {
    const state: State = new Map();
    await rootOf(generated, { state });
    for (const name of state.keys())
      if (name.includes("LocallySignedCert")) state.set(name, { certPem: unknownValue });
    const { said } = await rootOf(generated, { now: inDays(3600), state, preview: true });
    match(said[0] ?? "", /^warning: The trust anchor/);
  });
});
