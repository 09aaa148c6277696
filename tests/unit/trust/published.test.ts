import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { LiveTrust } from "../../../engine/trust/live.ts";
import { planPublished, publishedIn } from "../../../engine/trust/published.ts";
import { type Authority, authority, day, issuerUnder, now } from "./certificates.ts";
import { absent, live, planIn, present, refusedIn } from "./live.ts";

const old = authority({ name: "old" });
const next = authority({ name: "next" });
const stray = authority({ name: "stray" });
const [oldIssuer, nextIssuer] = [issuerUnder(old), issuerUnder(next)];
const names = new Map([
  [old.certificate.fingerprint, "old"],
  [next.certificate.fingerprint, "next"],
  [stray.certificate.fingerprint, "stray"],
]);

const pemOf = (anchors: readonly Authority[]) => anchors.map(({ pem }) => pem).join("\n");

/** As another stack exports it for west. */
function exported(
  bundle: readonly Authority[],
  issuer: Authority,
  unknownAnchors: "keep" | "remove" = "keep",
) {
  return {
    trust: {
      ...{ anchors: pemOf([next, old]), unknownAnchors },
      clusters: { west: { bundle: pemOf(bundle), issuer: issuer.pem } },
    } as Readonly<Record<string, unknown>>,
    issuerKeys: { west: issuer.keyPem } as unknown,
  };
}

const good = exported([old], oldIssuer);

function problemIn(
  outputs: { readonly trust: unknown; readonly issuerKeys: unknown },
  of = "west",
) {
  const published = publishedIn(outputs, "o/mesh/trust", [of], now);
  return "problem" in published ? published.problem : "";
}

function plan(cluster: LiveTrust, outputs = good) {
  const published = publishedIn(outputs, "o/mesh/trust", ["west"], now);
  if ("problem" in published) throw new Error(published.problem);
  return planPublished(published, live({ west: cluster }));
}

/** What a cluster trusts after that, in words. */
function trusted(cluster: LiveTrust, outputs = good): string | undefined {
  const west = planIn(plan(cluster, outputs)).clusters.get("west");
  equal(west?.issuer, "wanted");
  return west.bundle.map(({ fingerprint }) => names.get(fingerprint)).join("+");
}

describe("trust that another stack publishes", () => {
  it("is what it exports", () => {
    equal(problemIn(good), "");
  });

  for (const [name, outputs, sentence] of [
    [
      "nothing",
      {},
      /^the stack o\/mesh\/trust exports no trust: run it first, with .*manage: trust/,
    ],
    ["something else", { trust: "mine" }, /exports no trust: run it first/],
    ["no known anchors", { trust: { ...good.trust, anchors: 7 } }, /as trust\.anchors must be PEM/],
    // As the engine gives what it can't decrypt.
    [
      "keys that can't be decrypted",
      { issuerKeys: {} },
      /^the key of the issuer of cluster west that the stack o\/mesh\/trust exports can't be decrypted: .*PULUMI_CONFIG_PASSPHRASE/,
    ],
    ["no keys", { issuerKeys: undefined }, /can't be decrypted/],
    [
      "the key of another",
      { issuerKeys: { west: nextIssuer.keyPem } },
      /as the issuer's key must be the private key of the certificate/,
    ],
    [
      "an issuer that has expired",
      exported([old], issuerUnder(old, { notAfter: new Date(now.getTime() - day) })),
      /as issuer must be valid still/,
    ],
    [
      "an issuer under another anchor",
      exported([old], nextIssuer),
      /as issuer must be signed by an anchor in its bundle/,
    ],
    [
      "a bundle of text",
      { trust: { ...good.trust, clusters: { west: { bundle: "x", issuer: "y" } } } },
      /as bundle must be/,
    ],
  ] as const)
    it(`is refused in a sentence where that is ${name}`, () => {
      const base = name === "nothing" ? { trust: undefined, issuerKeys: undefined } : good;
      const problem = problemIn({ ...base, ...outputs });
      match(problem, sentence);
      ok(!problem.includes("PRIVATE"));
    });

  it("is awaited for a cluster that the stack does not know yet", () => {
    match(problemIn(good, "east"), /exports no trust for cluster east yet: add the cluster/);
  });

  it("is given to a new cluster, and to one that has it", () => {
    deepEqual([trusted(absent), trusted(present([old], oldIssuer))], ["old", "old"]);
  });

  it("moves a cluster on, step by step", () => {
    const steps = [
      [present([old], oldIssuer), exported([next, old], oldIssuer), "next+old"],
      [present([next, old], oldIssuer), exported([next, old], nextIssuer), "next+old"],
      [present([next, old], nextIssuer), exported([next], nextIssuer), "next"],
    ] as const;
    for (const [cluster, outputs, trusts] of steps) equal(trusted(cluster, outputs), trusts);
  });

  it("leaves anchors where somebody has put them, unless they are to go", () => {
    const cluster = present([old, stray], oldIssuer);
    equal(trusted(cluster, exported([next, old], oldIssuer)), "next+old+stray");
    equal(trusted(cluster, exported([old], oldIssuer, "remove")), "old");
  });

  it("is refused by a cluster that has nothing to do with it", () => {
    for (const [cluster, why] of [
      [present([stray], issuerUnder(stray)), /trusts no anchor that has signed its next issuer/],
      [
        present([stray, old], issuerUnder(stray)),
        /have not signed the issuer that the cluster uses/,
      ],
    ] as const) {
      const [sentence = ""] = refusedIn(plan(cluster));
      match(sentence, why);
      match(sentence, /^Cluster west can't take over the trust of the stack o\/mesh\/trust/);
    }
  });
});
