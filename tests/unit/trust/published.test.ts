import { deepEqual, match, throws } from "node:assert/strict";
import { messageOf } from "../../../engine/user-error.ts";
import type { LiveTrust } from "../../../engine/trust/live.ts";
import { planPublished, publishedIn } from "../../../engine/trust/published.ts";
import { type Authority, inDays, issuerUnder, now } from "./certificates.ts";
import {
  absent,
  inWords,
  live,
  next,
  nextIssuer,
  old,
  oldIssuer,
  present,
  refusedIn,
  stranger,
} from "./live.ts";

const pemOf = (anchors: readonly Authority[]) => anchors.map(({ pem }) => pem).join("\n");

interface Outputs {
  readonly trust: unknown;
  readonly issuerKeys: unknown;
}

/** The outputs of a trust stack with the one cluster west. */
function exported(bundle: readonly Authority[], issuer: Authority, unknownAnchors = "keep") {
  const clusters = { west: { bundle: pemOf(bundle), issuer: issuer.pem } };
  return {
    trust: { anchors: pemOf([next, old]), unknownAnchors, clusters },
    issuerKeys: { west: issuer.keyPem },
  };
}

const good = exported([old], oldIssuer);

const published = (outputs: Outputs, cluster = "west") =>
  publishedIn(outputs, "o/mesh/trust", [cluster], now);

function plan(cluster: LiveTrust, outputs: Outputs = good) {
  return planPublished(published(outputs), live({ west: cluster }));
}

describe("trust: what another stack publishes", () => {
  const expired = issuerUnder(old, { notAfter: inDays(-1) });
  const none = /^the stack o\/mesh\/trust exports no trust: run it first, with .*manage: trust/;
  const texts = { west: { bundle: "x", issuer: "y" } };
  const noText = { west: { bundle: old.pem, issuer: 7 } };
  for (const [name, outputs, sentence] of [
    ["no trust", { trust: undefined }, none],
    ["trust that is a text", { trust: "mine" }, none],
    [
      "anchors that are no PEM",
      { trust: { ...good.trust, anchors: 7 } },
      /as trust\.anchors must be PEM/,
    ],
    // The engine returns an empty map for a secret that it can't decrypt.
    [
      "keys that can't be decrypted",
      { issuerKeys: {} },
      /^the key of the issuer of cluster west that the stack o\/mesh\/trust exports can't be decrypted: .*PULUMI_CONFIG_PASSPHRASE/,
    ],
    ["no issuer keys", { issuerKeys: undefined }, /can't be decrypted/],
    [
      "the key of another issuer",
      { issuerKeys: { west: nextIssuer.keyPem } },
      /as the issuer's key must be the private key of the certificate/,
    ],
    ["an expired issuer", exported([old], expired), /as issuer must be valid still/],
    [
      "a bundle that is no PEM",
      { trust: { ...good.trust, clusters: texts } },
      /as bundle must be PEM/,
    ],
    [
      "an issuer that is no PEM",
      { trust: { ...good.trust, clusters: noText } },
      /as issuer must be PEM/,
    ],
  ] as const)
    it(`is refused if it holds ${name}`, () => {
      throws(
        () => published({ ...good, ...outputs }),
        (error) => {
          match(messageOf(error), sentence);
          return !messageOf(error).includes("PRIVATE");
        },
      );
    });

  it("asks to add a cluster that the trust stack doesn't have yet", () => {
    throws(() => published(good, "east"), /exports no trust for cluster east yet: add the cluster/);
  });

  const strange = present([old, stranger], oldIssuer);
  for (const [name, cluster, outputs, trusts] of [
    ["goes to a new cluster", absent, good, "old"],
    ["changes nothing in a cluster that has it", present([old], oldIssuer), good, "old"],
    ["adds an anchor", present([old], oldIssuer), exported([next, old], oldIssuer), "next+old"],
    [
      "replaces an issuer",
      present([next, old], oldIssuer),
      exported([next, old], nextIssuer),
      "next+old",
    ],
    ["drops an anchor", present([next, old], nextIssuer), exported([next], nextIssuer), "next"],
    ["keeps anchors of others", strange, exported([next, old], oldIssuer), "next+old+stranger"],
    [
      "removes anchors of others if the trust stack does",
      strange,
      exported([old], oldIssuer, "remove"),
      "old",
    ],
  ] as const)
    it(name, () => {
      deepEqual(inWords(plan(cluster, outputs)), ["settled", `${trusts}/wanted`]);
    });

  it("is refused for a cluster that trusts none of its anchors", () => {
    const own = issuerUnder(stranger);
    for (const [cluster, why] of [
      [present([stranger], own), /trusts no anchor that has signed its next issuer/],
      [present([stranger, old], own), /have not signed the issuer that the cluster uses/],
    ] as const) {
      const [sentence = ""] = refusedIn(plan(cluster));
      match(sentence, why);
      match(sentence, /^Cluster west can't take over the trust of the stack o\/mesh\/trust/);
    }
  });
});
