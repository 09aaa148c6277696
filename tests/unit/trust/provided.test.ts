import { deepEqual } from "node:assert/strict";
import { planProvided } from "../../../engine/trust/provided.ts";
import { now } from "./certificates.ts";
import {
  anchors,
  type Clusters,
  inWords,
  live,
  next,
  nextIssuer,
  notesIn,
  old,
  oldIssuer,
  refusedIn,
  restarted,
} from "./live.ts";
import { testSteps, trustIn } from "./steps.ts";

/** The config provides these anchors, and this issuer for every cluster. */
function given(clusters: Clusters, config: string) {
  const { bundle, issuer } = trustIn(config);
  const chain = issuer === undefined ? [] : anchors(issuer);
  const issuers = new Map(Object.keys(clusters).map((name) => [name, chain]));
  return planProvided({ anchors: anchors(...bundle), issuers, live: live(clusters), now });
}

const before = restarted([old], oldIssuer);

describe("trust: provided anchors and issuers", () => {
  const trust = "linkerd-multicluster:trust";
  testSteps(
    given,
    `
# settle bare clusters
old/old | absent, absent
! settled: old/wanted, old/wanted

# are settled where the clusters have them, although one can't be read
old/old | old/old, away
! settled: old/wanted, old/wanted

# add an anchor
next+old/old | old/old
! bundle: next+old/wanted

# keep the order of live anchors
next+old/old | old+next/old
! settled: old+next/wanted

# replace issuers once every cluster trusts their anchor
old+next/next | old+next/old, old+next/next
! reissue: old+next/wanted, old+next/wanted

# replace a missing issuer by one under the same anchor
old/old | old/none
! reissue: old/wanted

# drop an anchor that nothing needs
next/next | old+next/next
! drop: next/wanted

# are refused in all clusters for an issuer whose anchor a cluster doesn't trust yet
old+next/next | old+next/old, old/old, absent
! waiting: old+next/wanted, old/wanted, old+next/wanted
! ${trust}.issuers.w is signed by next, which e does not trust yet. Keep the old issuer, add the anchor to ${trust}.anchors, run, restart every meshed workload, and only then change the issuer.
! ${trust}.issuers.e is signed by next, which e does not trust yet…
! Cluster n gets Linkerd once the others can get ${trust}.

# are refused for an issuer under a new anchor in place of a missing one
old+next/next | old/none
! waiting: old/wanted
! ${trust}.issuers.w is signed by next, which w does not trust yet…

# are refused for an issuer whose anchor a proxy doesn't trust yet
old+next/next | old+next/old stale
! waiting: old+next/wanted
! ${trust}.issuers.w is signed by next, which the proxies of these pods do not trust yet. Keep the old issuer until their workloads are restarted: w: shop/web-0.

# are refused if they leave out the anchor of a live issuer
next/next | old+next/old
! settled: next/wanted
! ${trust}.anchors lacks old, which signed the issuer that cluster w uses now. Keep it next to the new one until every cluster has an issuer signed by the new one.

# are refused only for the cluster whose live issuer is somebody else's
old/old | stranger/stranger, old/old
! settled: old/wanted, old/wanted
! ${trust}.anchors lacks stranger, which signed the issuer that cluster w uses now…

# are refused if they leave out an anchor while a certificate may be under it
next/next | old+next/next reissued
! waiting: old+next/wanted
! ${trust}.anchors lacks old, under which certificates may still be in use. Keep it until these workloads are restarted (not before 2026-08-21T12:05:00.000Z, since until then new pods may get a certificate from the old issuer), or until 2026-08-22T12:05:00.000Z: w: shop/web-0.

# are refused if they leave out the only anchor that a proxy trusts
next/next | old+next/next stale, old+next/next
! waiting: old+next/wanted, old+next/wanted
! ${trust}.anchors lacks old, and some proxies trust nothing else that is in use. Keep it until these workloads are restarted: w: shop/web-0.

# are refused while a cluster can't be read, which may be new
next/next | old+next/next, away
! waiting: old+next/wanted, next/wanted
! No issuer can move to another anchor, and no anchor can be removed, because cluster x can't be reached.
! Cluster e gets Linkerd once…

# are refused while pods can't be read
next/next | old+next/next unread
! waiting: old+next/wanted
! No issuer can move to another anchor, and no anchor can be removed, because cluster w lists no pods.
`,
  );

  it("go only to the stack's own clusters, but depend on what all clusters trust", () => {
    const both = live({ w: before, e: before });
    const own = new Map([["w", anchors(oldIssuer)]]);
    const settled = planProvided({ anchors: anchors(old), issuers: own, live: both, now });
    deepEqual(inWords(settled), ["settled", "old/wanted"]);
    const issuers = new Map([["w", anchors(nextIssuer)]]);
    const moving = planProvided({ anchors: anchors(old, next), issuers, live: both, now });
    deepEqual(refusedIn(moving).length, 1);
  });

  it("come with a note to restart workloads before the next change", () => {
    const restart = (what: string) =>
      `Workloads get ${what} when they are restarted: restart every meshed workload on every cluster before the next change of ${trust}.`;
    const bundled = { w: restarted([old, next], oldIssuer) };
    deepEqual(notesIn(given({ w: before }, "next+old/old")), [restart("the new anchors")]);
    deepEqual(notesIn(given(bundled, "next+old/next")), [
      restart("certificates of the new issuers"),
    ]);
    deepEqual(notesIn(given({ w: restarted([old, next], nextIssuer) }, "next/next")), []);
  });
});
