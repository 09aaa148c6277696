import { deepEqual } from "node:assert/strict";
import { planProvided } from "../../../engine/trust/provided.ts";
import { type Authority, issuerUnder, now } from "./certificates.ts";
import {
  absent,
  but,
  anchors,
  type Clusters,
  inWords,
  live,
  next,
  nextIssuer,
  notesIn,
  old,
  oldIssuer,
  podsUnread,
  present,
  proxy,
  refusedClustersIn,
  refusedIn,
  restarted,
  stranger,
  unreadable,
} from "./live.ts";

/** The anchors in the config, the issuer of every cluster in it, and the clusters. */
type Given = Parameters<typeof given>;

function given(bundle: readonly Authority[], issuer: Authority, clusters: Clusters) {
  const issuers = Object.keys(clusters).map((name) => [name, [issuer.certificate]] as const);
  const own = { anchors: anchors(...bundle), issuers: new Map(issuers) };
  return planProvided({ ...own, live: live(clusters), now });
}

const before = restarted([old], oldIssuer);
const bundled = restarted([old, next], oldIssuer);
const reissued = restarted([old, next], nextIssuer);

describe("trust: provided anchors and issuers", () => {
  function gives(name: string, [bundle, issuer, clusters]: Given, stage: string, trusted: string) {
    it(name, () => {
      const plans = Object.keys(clusters).map(() => `${trusted}/wanted`);
      deepEqual(inWords(given(bundle, issuer, clusters)), [stage, ...plans]);
    });
  }
  const outOfReach = { w: before, e: unreadable };
  const again = issuerUnder(old);
  gives("settle bare clusters", [[old], oldIssuer, { w: absent, e: absent }], "settled", "old");
  gives(
    "are settled where the clusters have them",
    [[old], oldIssuer, { w: before, e: before }],
    "settled",
    "old",
  );
  gives(
    "are settled although a cluster can't be read",
    [[old], oldIssuer, outOfReach],
    "settled",
    "old",
  );
  gives(
    "renew an issuer although a cluster can't be read",
    [[old], again, outOfReach],
    "settled",
    "old",
  );
  gives("add an anchor", [[next, old], oldIssuer, { w: before }], "bundle", "next+old");
  gives(
    "keep the order of live anchors",
    [[next, old], oldIssuer, { w: bundled }],
    "settled",
    "old+next",
  );
  const moving = { w: bundled, e: reissued };
  gives(
    "replace issuers once every cluster trusts their anchor",
    [[old, next], nextIssuer, moving],
    "reissue",
    "old+next",
  );
  gives("drop an anchor that nothing needs", [[next], nextIssuer, { w: reissued }], "drop", "next");

  it("go only to the stack's own clusters, but depend on what all clusters trust", () => {
    const own = { anchors: anchors(old), issuers: new Map([["w", anchors(oldIssuer)]]), now };
    const both = live({ w: before, e: before });
    deepEqual(inWords(planProvided({ ...own, live: both })), ["settled", "old/wanted"]);
    const issuers = new Map([["w", anchors(nextIssuer)]]);
    const moving = planProvided({ anchors: anchors(old, next), issuers, live: both, now });
    deepEqual(refusedIn(moving).length, 1);
  });

  it("come with a note to restart workloads before the next change", () => {
    const restart = (what: string) =>
      `Workloads get ${what} when they are restarted: restart every meshed workload on every cluster before the next change of linkerd-multicluster:trust.`;
    const told = (...args: Given) => notesIn(given(...args));
    deepEqual(told([next, old], oldIssuer, { w: before }), [restart("the new anchors")]);
    deepEqual(told([next, old], nextIssuer, { w: bundled }), [
      restart("certificates of the new issuers"),
    ]);
    deepEqual(told([next], nextIssuer, { w: reissued }), []);
  });
});

describe("trust: a change of provided anchors and issuers", () => {
  const issuers = "linkerd-multicluster:trust.issuers";
  const lacks = "linkerd-multicluster:trust.anchors lacks old";
  const notYet =
    "is signed by next, which e does not trust yet. Keep the old issuer, add the anchor to linkerd-multicluster:trust.anchors, run, restart every meshed workload, and only then change the issuer.";
  const stuck =
    "No issuer can move to another anchor, and no anchor can be removed, because cluster";
  const orphaned =
    "which signed the issuer that cluster w uses now. Keep it next to the new one until every cluster has an issuer signed by the new one.";
  const afterOthers = (cluster: string) =>
    `Cluster ${cluster} gets Linkerd once the others can get linkerd-multicluster:trust.`;
  const stale = [proxy("db-0", [old])];
  const lost = { w: present([old], undefined, stale) };
  function refuses(name: string, args: Given, expected: readonly string[]) {
    it(name, () => {
      deepEqual(refusedIn(given(...args)), expected);
    });
  }
  refuses(
    "is refused for an issuer whose anchor a cluster doesn't trust yet",
    [[old, next], nextIssuer, { w: bundled, e: before }],
    [`${issuers}.w ${notYet}`, `${issuers}.e ${notYet}`],
  );
  const unrestarted = { w: present([old, next], oldIssuer, stale) };
  it("leaves the trust of all clusters as it is when refused, and keeps new clusters waiting", () => {
    const plan = given([old, next], nextIssuer, { w: bundled, e: before, n: absent });
    deepEqual(inWords(plan).slice(0, 3), ["waiting", "old+next/wanted", "old/wanted"]);
    deepEqual(refusedClustersIn(plan), { n: afterOthers("n") });
  });
  refuses(
    "is refused for an issuer whose anchor a proxy doesn't trust yet",
    [[old, next], nextIssuer, unrestarted],
    [
      `${issuers}.w is signed by next, which the proxies of these pods do not trust yet. Keep the old issuer until their workloads are restarted: w: shop/db-0.`,
    ],
  );
  refuses(
    "is refused if it leaves out the anchor of a live issuer",
    [[next], nextIssuer, { w: bundled }],
    [`${lacks}, ${orphaned}`],
  );
  const fresh = { w: but(reissued, { issuerSince: now }) };
  refuses(
    "is refused if it leaves out an anchor while a certificate may be under it",
    [[next], nextIssuer, fresh],
    [
      `${lacks}, under which certificates may still be in use. Keep it until these workloads are restarted (not before 2026-08-21T12:05:00.000Z, since until then new pods may get a certificate from the old issuer), or until 2026-08-22T12:05:00.000Z: w: shop/web-0.`,
    ],
  );
  const alone = { w: present([old, next], nextIssuer, stale), e: reissued };
  refuses(
    "is refused if it leaves out the only anchor that a proxy trusts",
    [[next], nextIssuer, alone],
    [
      `${lacks}, and some proxies trust nothing else that is in use. Keep it until these workloads are restarted: w: shop/db-0.`,
    ],
  );
  refuses(
    "is refused if it replaces anchor and issuer at once",
    [[next], nextIssuer, { w: before }],
    [`${lacks}, ${orphaned}`],
  );
  it("is refused only for the cluster whose live issuer is somebody else's", () => {
    const own = issuerUnder(stranger);
    const decision = given([old], oldIssuer, { w: restarted([stranger], own), e: before });
    deepEqual(refusedClustersIn(decision), {
      w: `${lacks.replace("old", "stranger")}, ${orphaned}`,
    });
    deepEqual(inWords(decision), ["settled", "old/wanted", "old/wanted"]);
  });
  const away = { w: reissued, e: unreadable };
  refuses(
    "is refused while a cluster can't be read",
    [[next], nextIssuer, away],
    [`${stuck} x can't be reached.`, afterOthers("e")],
  );
  const unread = { w: podsUnread([old, next], nextIssuer) };
  refuses(
    "is refused while pods can't be read",
    [[next], nextIssuer, unread],
    [`${stuck} w lists no pods.`],
  );
  refuses(
    "is refused for an issuer under a new anchor where the live issuer is missing",
    [[old, next], nextIssuer, lost],
    [`${issuers}.w ${notYet.replace(" e ", " w ")}`],
  );
  refuses(
    "is accepted for an issuer under the same anchor where the live issuer is missing",
    [[old], oldIssuer, lost],
    [],
  );
});
