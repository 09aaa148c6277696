import { deepEqual, equal, match, throws } from "node:assert/strict";
import type { TrustConfig } from "../../config/mesh.ts";
import { certificatesIn, isIssuedBy, onlyCertificate } from "../../engine/trust/certificate.ts";
import type { LiveTrust } from "../../engine/trust/live.ts";
import { keyProblem } from "../../engine/trust/requirements.ts";
import { authority, day, issuerUnder } from "../unit/trust/certificates.ts";
import { absent, present } from "../unit/trust/live.ts";
import { isSecretOutput, redacted, type State, unwrapped, valueOf } from "./mocked-stack.ts";
import { bare, generated, rootOf } from "./trust-roots.ts";

const key = "tls:index/privateKey:PrivateKey";
const selfSigned = "tls:index/selfSignedCert:SelfSignedCert";
const request = "tls:index/certRequest:CertRequest";
const locallySigned = "tls:index/locallySignedCert:LocallySignedCert";

describe("TrustRoot: generated", () => {
  it("one anchor, and for each cluster a key, a request and an issuer", async () => {
    const { order } = await rootOf(generated, bare);
    deepEqual(order.toSorted(), [
      `${request} trust-1-issuer-east`,
      `${request} trust-1-issuer-west`,
      `${locallySigned} trust-1-issuer-east`,
      `${locallySigned} trust-1-issuer-west`,
      `${key} trust-1-anchor`,
      `${key} trust-1-issuer-east`,
      `${key} trust-1-issuer-west`,
      `${selfSigned} trust-1-anchor`,
    ]);
  });

  it("an anchor that can sign, on P-256, and that nothing replaces", async () => {
    const { resource } = await rootOf({ ...generated, anchorValidityDays: 100 }, bare);
    deepEqual(resource(key, "trust-1-anchor").inputs, { algorithm: "ECDSA", ecdsaCurve: "P256" });
    const anchor = resource(selfSigned, "trust-1-anchor");
    deepEqual(redacted(anchor.inputs), {
      allowedUses: ["cert_signing", "crl_signing"],
      earlyRenewalHours: 0,
      isCaCertificate: true,
      privateKeyPem: "[secret]",
      setSubjectKeyId: true,
      subject: { commonName: "root.linkerd.cluster.local" },
      validityPeriodHours: 2400,
    });
    const settings = Object.keys(anchor.inputs).filter((each) => each !== "privateKeyPem");
    deepEqual(anchor.ignoreChanges.toSorted(), settings.toSorted());
    equal(resource(key, "trust-1-anchor").replacementTrigger, undefined);
  });

  it("issuers under it, each with a key of its own that is renewed with it", async () => {
    const { resource, result } = await rootOf(generated, bare, new Date(1000 * day));
    const west = resource(locallySigned, "trust-1-issuer-west");
    deepEqual(redacted({ ...west.inputs, caCertPem: "", certRequestPem: "" }), {
      allowedUses: ["cert_signing", "crl_signing"],
      caCertPem: "",
      caPrivateKeyPem: "[secret]",
      certRequestPem: "",
      earlyRenewalHours: 1440,
      isCaCertificate: true,
      setSubjectKeyId: true,
      validityPeriodHours: 8760,
    });
    deepEqual(resource(request, "trust-1-issuer-east").inputs["subject"], {
      commonName: "identity.linkerd.east.local",
    });
    // 305 days is how long an issuer serves.
    equal(resource(key, "trust-1-issuer-west").replacementTrigger, 3);
    const [one, other] = [result.issuerFor("west"), result.issuerFor("east")];
    const anchor = onlyCertificate(await valueOf(result.anchorsPem));
    for (const issuer of [one, other])
      equal(isIssuedBy(onlyCertificate(await valueOf(issuer.certPem)), anchor), true);
    equal((await valueOf(one.keyPem)) === (await valueOf(other.keyPem)), false);
  });

  it("every cluster trusts the anchor; nothing remains to be done", async () => {
    const { result, said } = await rootOf(generated, bare);
    const pem = await valueOf(result.anchorsPem);
    equal(await valueOf(result.bundleFor("west")), pem);
    equal(pem, onlyCertificate(pem).pem);
    deepEqual(
      [await valueOf(result.stage), await valueOf(result.notes), said],
      ["settled", [], []],
    );
    deepEqual(Object.keys(await valueOf(result.expiries)), [
      "the trust anchor",
      "the issuer of cluster west",
      "the issuer of cluster east",
    ]);
  });

  it("refuses to replace the issuers of somebody else, and says why", async () => {
    const stranger = authority({ name: "stranger" });
    const { said, order } = await rootOf(generated, {
      west: present([stranger], issuerUnder(stranger)),
    });
    match(
      said[0] ?? "",
      /^error: This change of the clusters' trust is refused:\n {2}Cluster west uses the issuer /,
    );
    equal(order.length, 8);
  });

  it("keys are secret wherever they go", async () => {
    const { resources, result } = await rootOf({ ...generated, generation: 2 }, bare);
    const everything = JSON.stringify(resources.map(({ inputs }) => unwrapped(inputs)));
    const open = JSON.stringify(resources.map(({ inputs }) => redacted(inputs)));
    equal(everything.includes("PRIVATE KEY"), true);
    equal(open.includes("PRIVATE KEY"), false);
    equal(await isSecretOutput(result.issuerFor("west").keyPem), true);
    equal(await isSecretOutput(result.issuerFor("west").certPem), false);
    equal(await isSecretOutput(result.bundleFor("west")), false);
  });

  it("extra anchors go to every cluster, and unknown ones where the config says so", async () => {
    const [extra, stranger] = [authority({ name: "extra" }), authority({ name: "stranger" })];
    const state: State = new Map();
    const first = await rootOf(generated, bare, new Date(), state);
    const anchor = onlyCertificate(await valueOf(first.result.anchorsPem));
    const issuer = onlyCertificate(await valueOf(first.result.issuerFor("west").certPem));
    const west: LiveTrust = {
      ...present([], undefined),
      bundle: [anchor, stranger.certificate],
      issuer: [issuer],
    };
    const bundleOf = async (trust: TrustConfig, cluster: string): Promise<string[]> => {
      const clusters = { west, east: { ...west, bundle: [anchor] } };
      const { result } = await rootOf(trust, clusters, new Date(), state);
      const found = certificatesIn(await valueOf(result.bundleFor(cluster)));
      return typeof found === "string" ? [found] : found.map(({ name }) => name);
    };
    const root = "root.linkerd.cluster.local";
    deepEqual(await bundleOf(generated, "west"), [root, "stranger"]);
    deepEqual(await bundleOf(generated, "east"), [root]);
    deepEqual(await bundleOf({ ...generated, unknownAnchors: "remove" }, "west"), [root]);
    const adopted = { ...generated, extraAnchors: extra.pem };
    deepEqual(await bundleOf(adopted, "east"), [root, "extra"]);
  });

  it("external: makes nothing, and tells what expires", async () => {
    const root = authority({ name: "root" });
    const soon = issuerUnder(root, { notAfter: new Date(Date.now() + day) });
    const external: TrustConfig = { kind: "external" };
    const { order, said, result } = await rootOf(external, { west: present([root], soon) });
    deepEqual(order, []);
    match(said.join("\n"), /^\w+: The issuer of cluster west, .* expires in /);
    equal(await valueOf(result.stage), "settled");
  });

  it("has nothing for a cluster that it was not told of", async () => {
    const { result } = await rootOf(generated, bare);
    throws(() => result.issuerFor("north"), { message: "there is no issuer for cluster north" });
  });
});

describe("TrustRoot: a rotation", () => {
  it("makes the next generation beside the one before", async () => {
    const { order } = await rootOf({ ...generated, generation: 3 }, bare);
    const anchorNames = order.filter((id) => id.startsWith(selfSigned));
    deepEqual(anchorNames.toSorted(), [
      `${selfSigned} trust-2-anchor`,
      `${selfSigned} trust-3-anchor`,
    ]);
    equal(order.length, 16);
  });

  it("starts bare clusters with the new one", async () => {
    const { result } = await rootOf({ ...generated, generation: 2 }, bare);
    equal(await valueOf(result.stage), "settled");
    const anchor = onlyCertificate(await valueOf(result.bundleFor("west")));
    const issuer = onlyCertificate(await valueOf(result.issuerFor("west").certPem));
    equal(isIssuedBy(issuer, anchor), true);
  });

  it("takes one step in each run, from the anchor and issuers of one generation to the next", async () => {
    const state: State = new Map();
    const second = { ...generated, generation: 2 };
    /** What a run gives to west, in words, and what west is then. */
    async function run(trust: TrustConfig, west: LiveTrust) {
      const { result, said } = await rootOf(trust, { west, east: west }, now, state);
      const bundle = certificatesIn(await valueOf(result.bundleFor("west")));
      const { certPem, keyPem } = result.issuerFor("west");
      const issuer = onlyCertificate(await valueOf(certPem));
      if (typeof bundle === "string") throw new Error(bundle);
      equal(keyProblem(await valueOf(keyPem), issuer), undefined);
      equal(await isSecretOutput(keyPem), true);
      const signer = bundle.findIndex((anchor) => isIssuedBy(issuer, anchor));
      const words = `${await valueOf(result.stage)}: trusts ${bundle.length}, issues under ${signer + 1}`;
      const proxies = [
        { namespace: "shop", pod: "web-0", createdAt: now, started: true, trusts: bundle },
      ];
      const after: LiveTrust = {
        state: "present",
        bundle,
        issuer: [issuer],
        issuerSince: new Date(0),
        proxies: { state: "read", proxies },
      };
      return { words, said, after };
    }
    const now = new Date();
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
    const first = await rootOf(generated, bare, new Date(), state);
    const anchor = onlyCertificate(await valueOf(first.result.anchorsPem));
    const issuer = onlyCertificate(await valueOf(first.result.issuerFor("west").certPem));
    const west: LiveTrust = { ...present([], undefined), bundle: [anchor], issuer: [issuer] };
    const { said, result } = await rootOf(
      { ...generated, generation: 2 },
      { west },
      new Date(),
      state,
    );
    match(said[0] ?? "", /^warning: Rotation, step 1 of 3: /);
    deepEqual(await valueOf(result.notes), [said[0]?.replace("warning: ", "")]);
    equal("the trust anchor of generation 1" in (await valueOf(result.expiries)), true);
  });
});
