import { deepEqual, equal, match } from "node:assert/strict";
import { bundleText } from "../../../engine/trust/bundle.ts";
import { knownCertificates } from "../../../engine/trust/certificate.ts";
import { authority, inDays } from "./certificates.ts";
import {
  absent,
  anchors,
  but,
  type Clusters,
  inWords,
  notesIn,
  old,
  oldIssuer,
  present,
  refusedClustersIn,
  restarted,
  stranger,
  unreadable,
} from "./live.ts";
import { type Decide, first, removing, second, testSteps } from "./steps.ts";

const before = present([old], oldIssuer);
const away = unreadable;

describe("trust: an anchor that isn't the stack's", () => {
  testSteps(
    second,
    `
# stays where it is in step 1
old+stranger/old, old/old, absent
! bundle: next+old+stranger/previous, next+old/previous, next+old/previous

# stays where it is in step 2
next+old+stranger/old, next+old/old, absent
! reissue: next+old+stranger/wanted, next+old/wanted, next+old/wanted

# stays where it is in step 3
next+old+stranger/next, next+old/next, absent
! drop: next+stranger/wanted, next/wanted, next/wanted

# stays where it is after the rotation
next+stranger/next, next/next, absent
! settled: next+stranger/wanted, next/wanted, next/wanted
`,
  );
  testSteps(
    removing,
    `
# is not removed while a certificate may be under it
old/old, old+stranger/old reissued
! waiting: old/wanted, old+stranger/wanted

# is removed if the config asks for it
old/old, old+stranger/old
! drop: old/wanted, old/wanted
`,
  );
  testSteps(
    (clusters) => second(clusters, { unknown: "remove" }),
    `
# is not removed before step 3
old+stranger/old, old/old
! bundle: next+old+stranger/previous, next+old/previous
`,
  );
  const adopting: Decide = (clusters) => first(clusters, { adopted: anchors(stranger) });
  testSteps(
    adopting,
    `
# is added to every cluster if the config adopts it
old+stranger/old, old/old, absent
! bundle: old+stranger/wanted, old+stranger/wanted, old+stranger/wanted

# is settled once every cluster trusts it
old+stranger/old, old+stranger/old
! settled: old+stranger/wanted, old+stranger/wanted
`,
  );

  const strange = restarted([old, stranger], oldIssuer);
  const added = { w: strange, e: before, n: absent };

  it("is reported in every run, with what to do", () => {
    const stays =
      "which is none of this stack's trust anchors. It stays there, and is given to no other cluster. To have every cluster trust it, add it to linkerd-multicluster:trust.extraAnchors; to remove it, set linkerd-multicluster:trust.unknownAnchors to remove.";
    deepEqual(notesIn(first({ w: strange, e: strange, n: before })), [
      `Clusters w, e trust stranger, ${stays}`,
    ]);
    deepEqual(notesIn(second(added))[1], `Cluster w trusts stranger, ${stays}`);
    deepEqual(
      notesIn(removing({ w: before, e: strange }))[1],
      "Cluster e trusts stranger, which is none of this stack's trust anchors. It is removed as soon as that breaks nothing, and given to no other cluster.",
    );
    match(
      notesIn(adopting(added)).join(),
      /^Rotation, step 1 of 3: this run adds stranger to [^,]*, /,
    );
    equal(notesIn(adopting(added)).length, 1);
  });

  const many = Array.from({ length: 50 }, (_, nth) => authority({ name: `stranger ${nth}` }));
  it("refuses the cluster if a bundle with it would be too long to be read", () => {
    const crowded = restarted([old, ...many.slice(0, 49)], oldIssuer);
    const decision = first({ w: crowded, e: before }, { previous: undefined });
    deepEqual(refusedClustersIn(decision), {});
    equal(knownCertificates(bundleText(decision.clusters.get("w")?.bundle ?? [])).length, 50);
    const beyond = first({ w: restarted(many, oldIssuer), e: before });
    deepEqual(refusedClustersIn(beyond), {
      w: "Cluster w trusts 50 anchors that are none of this stack's, and a trust bundle has at most 50: remove those that nobody needs from ConfigMap linkerd-identity-trust-roots there, and run again.",
    });
    deepEqual(inWords(beyond), ["settled", "old/wanted", "old/wanted"]);
    deepEqual(notesIn(beyond), []);
  });

  it("refuses only new clusters while a certificate may be under it", () => {
    const fresh = but(strange, { issuerSince: inDays(-0.5) });
    const decision = second({ w: fresh, n: absent });
    deepEqual(refusedClustersIn(decision), {
      n: "Cluster w trusts stranger, which is none of this stack's trust anchors, and certificates under it may still be in use: new clusters (n) would refuse them. Restart these workloads, or run again after 2026-08-22T00:05:00.000Z: w: shop/web-0. Or have every cluster trust it: add it to linkerd-multicluster:trust.extraAnchors.",
    });
    deepEqual(inWords(decision), ["bundle", "next+old+stranger/previous"]);
    const refused = (clusters: Clusters) => Object.keys(refusedClustersIn(second(clusters)));
    deepEqual(refused({ w: strange, e: away, n: absent }), ["e", "n"]);
    deepEqual(refused({ w: strange, n: absent }), []);
    deepEqual(refused({ w: fresh, e: away }), ["e"]);
    // Those who don't trust it refuse these certificates already.
    deepEqual(refused({ w: fresh, e: before, n: absent }), []);
  });
});
