import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import {
  anchorsBehind,
  called,
  certificatesIn,
  isIssuedBy,
  onlyCertificate,
} from "../../../engine/trust/certificate.ts";
import {
  anchorProblem,
  chainProblems,
  issuerProblem,
  keyProblem,
} from "../../../engine/trust/requirements.ts";
import {
  altered,
  type Authority,
  authority,
  inDays,
  issuerUnder,
  now,
  onUnknownCurve,
} from "./certificates.ts";
import { anchors } from "./live.ts";

const [root, other] = [authority({ name: "root" }), authority({ name: "other" })];
const issuer = issuerUnder(root, { name: "issuer" });
const notCa = "a CA that may sign certificates";

function namesIn(text: string): readonly string[] | string {
  const found = certificatesIn(text);
  return "why" in found ? found.why : found.value.map(({ name }) => name);
}

describe("trust: parsing PEM certificates", () => {
  const [head = "", first = "", ...rest] = root.pem.split("\n");

  it("reads every block in order and ignores text between them", () => {
    const text = `subject=root\r\n${root.pem.replaceAll("\n", "\r\n")}\nissuer:\n${issuer.pem}\n\n`;
    deepEqual(namesIn(text), ["root", "issuer"]);
  });

  it("reads files that were joined without a line end", () => {
    deepEqual(namesIn(root.pem.trim() + issuer.pem), ["root", "issuer"]);
  });

  it("reads 50 certificates", () => {
    equal(namesIn(root.pem.repeat(50)).length, 50);
  });

  const hex = (text: string): string => Buffer.from(text).toString("hex");
  const none = "PEM, with at least one block BEGIN CERTIFICATE";
  const unparsable = "PEM certificates that can be parsed";
  const noCertificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
  for (const [what, text, rule] of [
    ["text without PEM", "hunter2", none],
    ["a block that begins within a line", `x${root.pem}`, none],
    ["a block with another end", root.pem.replace("END ", "END X"), none],
    [
      "a private key",
      root.pem + root.keyPem,
      "PEM certificates and nothing else, so no PRIVATE KEY",
    ],
    ["a block that is no certificate", noCertificate, unparsable],
    ["a public key that can't be decoded", onUnknownCurve(root), unparsable],
    ["an invalid time", altered(root, hex("203"), hex("20Z")), unparsable],
    ["more than 262144 characters", " ".repeat(300_000), "PEM of at most 262144 characters"],
    ["more than 50 certificates", root.pem.repeat(51), "PEM of at most 50 certificates"],
  ] as const)
    it(`rejects ${what}`, () => {
      equal(namesIn(text), rule);
    });

  it("throws if a text that was checked before holds no certificates", () => {
    throws(() => onlyCertificate("hunter2"), { message: `not certificates: it must be ${none}` });
  });

  it("normalizes a block, so that its fingerprint doesn't depend on blanks and line ends", () => {
    const again = onlyCertificate(`x\n${root.pem.replaceAll("\n", "  \r\n")}`);
    equal(again.pem, root.pem.trim());
    equal(again.fingerprint, root.certificate.fingerprint);
    match(again.fingerprint, /^[0-9a-f]{64}$/);
    equal(again.notAfter.getTime(), inDays(3620).getTime());
  });

  const blanks = " ".repeat(100_000);
  for (const [name, text] of [
    [
      "blanks within a line",
      [head, first.slice(0, 20) + blanks + first.slice(20), ...rest].join("\n"),
    ],
    ["blanks before an odd line end", [head, `${first}${blanks}\v`, ...rest].join("\n")],
    ["blocks that never end", "-----BEGIN CERTIFICATE-----\n".repeat(9000)],
    ["blocks of other kinds", "-----BEGIN A-----\n".repeat(14_000)],
  ] as const)
    it(`is fast for ${name}`, () => {
      const before = process.cpuUsage();
      certificatesIn(text);
      const { user, system } = process.cpuUsage(before);
      // It takes 30 ms; with an expression that backtracks, half a minute.
      ok(user + system < 2_000_000, `${(user + system) / 1000} ms`);
    });

  it("names a certificate in messages with 12 digits of its fingerprint", () => {
    match(called(root.certificate), /^root \(SHA-256 [0-9a-f]{12}\)$/);
  });
});

describe("trust: the anchor behind an issuer", () => {
  const middle = authority({ name: "middle", signer: root });
  const leaf = issuerUnder(middle);
  for (const [name, chain, expected] of [
    ["is the one whose key signed it, not another of the same name", [issuer], [root]],
    ["isn't found without the issuer's chain", [leaf], []],
    ["is found through the issuer's chain", [leaf, middle], [root]],
    ["isn't found through an unrelated chain", [leaf, issuer], []],
    ["isn't found without an issuer", [], []],
  ] as const)
    it(name, () => {
      const namesake = authority({ name: "root" });
      deepEqual(anchorsBehind(anchors(...chain), anchors(namesake, root)), anchors(...expected));
    });

  it("is never a certificate that may not sign", () => {
    const leaf = authority({ name: "leaf", isCa: false });
    equal(isIssuedBy(issuerUnder(leaf).certificate, leaf.certificate), false);
  });
});

describe("trust: Linkerd's requirements", () => {
  const rsa = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength }).privateKey;
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;

  const p256 = "a CA with an ECDSA P-256 key";
  const orRsa = `${p256}, or an RSA key of 2048 or 4096 bits`;
  for (const { name, ca, wrongAnchor, wrongIssuer } of [
    { name: "a CA on P-256", ca: root },
    { name: "RSA of 2048 bits", ca: authority({ key: rsa(2048) }), wrongIssuer: p256 },
    {
      name: "RSA of 3072 bits",
      ca: authority({ key: rsa(3072) }),
      wrongAnchor: orRsa,
      wrongIssuer: p256,
    },
    { name: "a CA on P-384", ca: authority({ key: p384 }), wrongAnchor: orRsa, wrongIssuer: p256 },
    {
      name: "no CA",
      ca: authority({ isCa: false }),
      wrongAnchor: notCa,
      wrongIssuer: notCa,
    },
  ])
    it(`for anchors and issuers: ${name}`, () => {
      equal(anchorProblem(ca.certificate), wrongAnchor);
      equal(issuerProblem(ca.certificate), wrongIssuer);
    });

  it("for a key: it must be unencrypted and the certificate's own", () => {
    equal(keyProblem(issuer.keyPem, issuer.certificate), undefined);
    equal(keyProblem("hunter2", issuer.certificate), "an unencrypted PEM private key");
    equal(
      keyProblem(root.keyPem, issuer.certificate),
      "the private key of the certificate with it",
    );
  });

  const until = { notAfter: inDays(-1) };
  const expired = authority({ name: "expired", ...until });
  const middle = authority({ name: "middle", signer: root, ...until });
  const ended = "must be valid now (it expired on 2026-08-20T12:00:00.000Z)";
  const rows: Readonly<Record<string, readonly [chain: readonly Authority[], problem?: string]>> = {
    "no issuer": [[]],
    "a valid one, although another anchor has expired": [[issuer]],
    "no CA": [[issuerUnder(root, { isCa: false })], `issuer must be ${notCa}`],
    "an expired one": [[issuerUnder(root, until)], `issuer ${ended}`],
    "one that isn't valid yet": [
      [issuerUnder(root, { notBefore: inDays(1) })],
      "issuer must be valid now (it becomes valid on 2026-08-22T12:00:00.000Z)",
    ],
    "one that is valid from now on": [[issuerUnder(root, { notBefore: now })]],
    "one that is valid until now": [
      [issuerUnder(root, { notAfter: now })],
      "issuer must be valid now (it expired on 2026-08-21T12:00:00.000Z)",
    ],
    "an expired intermediate": [[issuerUnder(middle), middle], `middle ${ended}`],
    "one that no anchor signed": [[issuerUnder(other)], "issuer must be signed by one of these"],
    "one that an expired anchor signed": [
      [issuerUnder(expired)],
      "issuer must be signed by one of these that is valid now",
    ],
  };
  for (const [name, [chain, problem]] of Object.entries(rows))
    it(`for an issuer and its chain: ${name}`, () => {
      const given = { anchors: anchors(root, expired), those: "one of these", now };
      const found = chainProblems(anchors(...chain), given).map(({ certificate, problem }) => {
        const which = certificate === chain[0]?.certificate ? "issuer" : certificate.name;
        return `${which} must be ${problem}`;
      });
      deepEqual(found, problem === undefined ? [] : [problem]);
    });
});
