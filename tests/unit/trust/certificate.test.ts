import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import {
  anchorsBehind,
  called,
  certificatesIn,
  isIssuedBy,
  onlyCertificate,
} from "../../../engine/trust/certificate.ts";
import { anchorProblem, issuerProblem, keyProblem } from "../../../engine/trust/requirements.ts";
import { authority, issuerUnder, now } from "./certificates.ts";

const root = authority();
const other = authority();
const issuer = issuerUnder(root);

function namesIn(text: string): readonly string[] | string {
  const found = certificatesIn(text);
  return typeof found === "string" ? found : found.map(({ name }) => name);
}

describe("trust: certificates in PEM", () => {
  it("every block in its order, whatever stands between them", () => {
    const text = `subject=root\r\n${root.pem.replaceAll("\n", "\r\n")}\nissuer:\n${issuer.pem}\n\n`;
    deepEqual(namesIn(text), ["root.linkerd.cluster.local", "identity.linkerd.cluster.local"]);
  });

  it("blocks of files that were joined without a line end between them", () => {
    equal(namesIn(root.pem.trim() + issuer.pem).length, 2);
  });

  it("a block ends where it ends, in Unix lines", () => {
    equal(onlyCertificate(root.pem.replaceAll("\n", "\r\n")).pem, root.pem.trim());
  });

  it("the same certificate has the same fingerprint, in however it is written", () => {
    const again = onlyCertificate(`x\n${root.pem}`);
    equal(again.fingerprint, root.certificate.fingerprint);
    match(again.fingerprint, /^[0-9a-f]{64}$/);
  });

  it("tells its times", () => {
    const { notAfter } = authority({ notAfter: now }).certificate;
    equal(notAfter.toISOString(), "2026-08-21T12:00:00.000Z");
  });

  for (const [name, text, rule] of [
    ["no PEM", "hunter2", "PEM, with at least one block BEGIN CERTIFICATE"],
    [
      "a key among them",
      root.pem + root.keyPem,
      "PEM certificates and nothing else, so no PRIVATE KEY",
    ],
    [
      "a block that is no certificate",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
      "PEM certificates that can be parsed",
    ],
  ] as const) {
    it(name, () => {
      equal(certificatesIn(text), rule);
      throws(() => onlyCertificate(text), { message: `not certificates: it must be ${rule}` });
    });
  }

  const blanks = " ".repeat(100_000);
  const [head = "", first = "", ...rest] = root.pem.split("\n");
  for (const [name, text] of [
    [
      "blanks within a line",
      [head, first.slice(0, 20) + blanks + first.slice(20), ...rest].join("\n"),
    ],
    ["blanks before an odd line end", [head, `${first}${blanks}\v`, ...rest].join("\n")],
    ["blocks that never end", "-----BEGIN CERTIFICATE-----\n".repeat(9000)],
    ["blocks of other kinds", "-----BEGIN A-----\n".repeat(14_000)],
  ] as const) {
    it(`takes no longer than its size allows: ${name}`, () => {
      const before = process.cpuUsage();
      certificatesIn(text);
      const { user, system } = process.cpuUsage(before);
      // It takes 30 ms; with an expression that backtracks, half a minute.
      ok(user + system < 2_000_000, `${(user + system) / 1000} ms`);
    });
  }

  it("has an end: of a text, and of a bundle", () => {
    equal(certificatesIn(" ".repeat(300_000)), "PEM of at most 262144 characters");
    equal(certificatesIn(root.pem.repeat(51)), "PEM of at most 50 certificates");
    equal(namesIn(root.pem.repeat(50)).length, 50);
  });

  it("is called by its name and as much of its fingerprint as tells it apart", () => {
    match(called(root.certificate), /^root\.linkerd\.cluster\.local \(SHA-256 [0-9a-f]{12}\)$/);
  });
});

describe("trust: who is behind an issuer", () => {
  it("the anchor whose key signed it, not one of the same name", () => {
    equal(isIssuedBy(issuer.certificate, root.certificate), true);
    equal(isIssuedBy(issuer.certificate, other.certificate), false);
    deepEqual(anchorsBehind([issuer.certificate], [other.certificate, root.certificate]), [
      root.certificate,
    ]);
  });

  it("an anchor behind the chain that follows the issuer", () => {
    const middle = authority({ name: "middle", signer: root });
    const leaf = issuerUnder(middle);
    deepEqual(anchorsBehind([leaf.certificate], [root.certificate]), []);
    const chain = [leaf.certificate, middle.certificate];
    deepEqual(anchorsBehind(chain, [root.certificate]), [root.certificate]);
    const unrelated = [leaf.certificate, issuer.certificate];
    deepEqual(anchorsBehind(unrelated, [root.certificate]), []);
  });

  it("nobody behind no issuer, and nobody who may not sign", () => {
    deepEqual(anchorsBehind([], [root.certificate]), []);
    const leaf = authority({ name: "leaf", isCa: false });
    equal(isIssuedBy(issuerUnder(leaf).certificate, leaf.certificate), false);
  });
});

describe("trust: what Linkerd demands", () => {
  const anchors = "a CA with an ECDSA P-256 key, or an RSA key of 2048 or 4096 bits";

  it("of an anchor", () => {
    equal(anchorProblem(root.certificate), undefined);
    equal(anchorProblem(authority({ rsaBits: 2048 }).certificate), undefined);
    equal(anchorProblem(authority({ rsaBits: 3072 }).certificate), anchors);
    equal(anchorProblem(authority({ curve: "P-384" }).certificate), anchors);
    equal(anchorProblem(authority({ isCa: false }).certificate), "a CA that may sign certificates");
  });

  it("of an issuer, which may not be RSA", () => {
    equal(issuerProblem(issuer.certificate), undefined);
    const rsa = issuerUnder(root, { rsaBits: 2048 });
    equal(issuerProblem(rsa.certificate), "a CA with an ECDSA P-256 key");
    const leaf = issuerUnder(root, { isCa: false });
    equal(issuerProblem(leaf.certificate), "a CA that may sign certificates");
  });

  it("of a key", () => {
    equal(keyProblem(issuer.keyPem, issuer.certificate), undefined);
    equal(keyProblem("hunter2", issuer.certificate), "an unencrypted PEM private key");
    equal(
      keyProblem(root.keyPem, issuer.certificate),
      "the private key of the certificate beside it",
    );
  });
});
