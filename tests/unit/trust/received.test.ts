import { deepEqual, match, throws } from "node:assert/strict";
import { messageOf } from "../../../engine/base/user-error.ts";
import { planPublished, publishedIn } from "../../../engine/trust/received.ts";
import { inDays, issuerUnder, now, wordyAuthorities } from "./certificates.ts";
import { live, next, nextIssuer, old, oldIssuer, restarted } from "./live.ts";
import { testSteps, trustIn } from "./steps.ts";

interface Outputs {
  readonly trust: unknown;
  readonly issuerKeys: unknown;
}

function exported(words: string) {
  const [trust = "", unknownAnchors = "keep"] = words.split(" ");
  const { bundle, issuer } = trustIn(trust);
  const pem = bundle.map(({ pem }) => pem).join("\n");
  const clusters = { w: { bundle: pem, issuer: issuer?.pem } };
  return {
    trust: { anchors: `${next.pem}\n${old.pem}`, unknownAnchors, clusters },
    issuerKeys: { w: issuer?.keyPem },
  };
}

const published = (outputs: Outputs, cluster = "w") =>
  publishedIn(outputs, "o/mesh/trust", [cluster], now);

describe("trust: what another stack publishes", () => {
  const good = exported("old/old");
  const expired = issuerUnder(old, { notAfter: inDays(-1) });
  const share = (bundle: unknown, issuer: unknown) => ({
    trust: { ...good.trust, clusters: { w: { bundle, issuer } } },
  });
  function refuses(what: string, outputs: Partial<Outputs>, sentence: RegExp) {
    it(`is refused if it holds ${what}`, () => {
      throws(
        () => published({ ...good, ...outputs }),
        (error) => sentence.test(messageOf(error)) && !messageOf(error).includes("PRIVATE"),
      );
    });
  }
  const none = /^the stack o\/mesh\/trust exports no trust: run it first, with .*manage: trust/;
  refuses("no trust", { trust: undefined }, none);
  refuses("trust that is a text", { trust: "mine" }, none);
  const noPem = { trust: { ...good.trust, anchors: 7 } };
  refuses("anchors that are no PEM", noPem, /as trust\.anchors must be PEM/);
  refuses("a bundle that is no PEM", share("x", "y"), /as bundle must be PEM/);
  refuses("an issuer that is no PEM", share(old.pem, 7), /as issuer must be PEM/);
  refuses("an expired issuer", share(old.pem, expired.pem), /as issuer must be valid now/);
  refuses(
    "the key of another issuer",
    { issuerKeys: { w: nextIssuer.keyPem } },
    /as the issuer's key must be the private key of the certificate/,
  );
  // The engine returns an empty map for a secret that it can't decrypt.
  refuses(
    "keys that can't be decrypted",
    { issuerKeys: {} },
    /^the key of the issuer of cluster w that the stack o\/mesh\/trust exports can't be decrypted: .*PULUMI_CONFIG_PASSPHRASE/,
  );
  refuses("no issuer keys", { issuerKeys: undefined }, /can't be decrypted/);

  it("asks to add a cluster that the trust stack doesn't have yet", () => {
    throws(() => published(good, "east"), /exports no trust for cluster east yet: add the cluster/);
  });

  testSteps(
    (clusters, words) => planPublished(published(exported(words)), live(clusters)),
    `
# goes to a new cluster
old/old | absent
! settled: old/wanted

# keeps the order of live anchors
next+old/old | old+next/old
! settled: old+next/wanted

# adds an anchor, and keeps those of others
next+old/old | old+stranger/old
! settled: next+old+stranger/wanted

# replaces an issuer
next+old/next | next+old/old
! settled: next+old/wanted

# drops an anchor
next/next | next+old/next
! settled: next/wanted

# removes anchors of others if the trust stack does
old/old remove | old+stranger/old
! settled: old/wanted

# is refused for a cluster that trusts none of its anchors
old/old | stranger/stranger
! settled: old+stranger/wanted
! Cluster w can't take over the trust of the stack o/mesh/trust, because the cluster trusts no anchor that has signed its next issuer…

# is refused for a cluster with the issuer of another anchor
old/old | stranger+old/stranger
! settled: stranger+old/wanted
! Cluster w can't take over the trust of the stack o/mesh/trust, because the anchors that it publishes have not signed the issuer that the cluster uses now: replacing it at once would break its traffic. If linkerd-multicluster:trust.stack names the right stack, run that stack, and this one again.
`,
  );

  it("is refused for a cluster whose bundle could not be read again with it", () => {
    const many = [old, ...wordyAuthorities()];
    const clusters = { w: restarted(many, oldIssuer), e: restarted([old], oldIssuer) };
    const share = exported("old/old").trust.clusters.w;
    const outputs = {
      trust: { ...good.trust, clusters: { w: share, e: share } },
      issuerKeys: { w: good.issuerKeys.w, e: good.issuerKeys.w },
    };
    const { refusedClusters } = planPublished(
      publishedIn(outputs, "o/mesh/trust", ["w", "e"], now),
      live(clusters),
    );
    deepEqual([...refusedClusters.keys()], ["w"]);
    match(refusedClusters.get("w") ?? "", /^Cluster w trusts 3 anchors .* 262,144 characters/);
  });
});
