import { equal } from "node:assert/strict";
import { hasExpired } from "../../../engine/trust/live.ts";
import { authority, inDays, issuerUnder } from "./certificates.ts";
import { present, stranger } from "./live.ts";

describe("trust: a cluster's trust has expired", () => {
  const root = authority({ name: "root", notAfter: inDays(100) });
  const renewed = authority({ name: "root", key: root.privateKey, notAfter: inDays(300) });
  const issuer = issuerUnder(root, { notAfter: inDays(200) });

  for (const [title, bundle, own, day, expected] of [
    ["not while its issuer and its anchor are valid", [root], issuer, 99, false],
    ["with its anchor, under which Linkerd issues no more", [root], issuer, 100, true],
    ["not with one of two anchors of the same key", [root, renewed], issuer, 150, false],
    ["with its issuer", [root, renewed], issuer, 200, true],
    ["not if no anchor of the bundle has signed the issuer", [stranger], issuer, 250, false],
    ["not without an issuer", [root], undefined, 250, false],
  ] as const)
    it(title, () => {
      equal(hasExpired(present(bundle, own).value, inDays(day)), expected);
    });
});
