import { deepEqual, equal, ok } from "node:assert/strict";
import { bundleText } from "../../../engine/trust/bundle.ts";
import { certificatesIn, knownCertificates } from "../../../engine/trust/certificate.ts";
import { authority, wordyAuthorities } from "./certificates.ts";
import {
  anchors,
  inWords,
  notesIn,
  old,
  oldIssuer,
  refusedIn,
  restarted,
  stranger,
} from "./live.ts";
import { first, second, testSteps } from "./steps.ts";

describe("trust: an anchor that isn't the stack's", () => {
  testSteps(
    (clusters) => second(clusters),
    `
# stays where it is in step 1
old+stranger/old, old/old, absent
! bundle: next+old+stranger/previous, next+old/previous, next+old/previous

# stays where it is in step 3
next+old+stranger/next, next+old/next, absent
! drop: next+stranger/wanted, next/wanted, next/wanted

# stays where it is after the rotation
next+stranger/next, next/next, absent
! settled: next+stranger/wanted, next/wanted, next/wanted
> Cluster w trusts stranger, which is not one of this stack's trust anchors. It stays there, and is given to no other cluster. To have every cluster trust it, add it to linkerd-multicluster:trust.extraAnchors; to remove it, set linkerd-multicluster:trust.unknownAnchors to remove.

# stays in several clusters
next+stranger/next, next+stranger/next
! settled: next+stranger/wanted, next+stranger/wanted
> Clusters w, e trust stranger, which is…

# delays no new cluster if no certificate can be under it
old+stranger/old, absent
! bundle: next+old+stranger/previous, next+old/previous

# delays new clusters while a certificate may be under it
old+stranger/old reissued, absent
! bundle: next+old+stranger/previous
! Cluster w trusts stranger, which is not one of this stack's trust anchors, and certificates under it may still be in use: new clusters (e) would refuse them. Restart these workloads, or run again after 2026-08-22T12:05:00.000Z: w: shop/web-0. Or have every cluster trust it: add it to linkerd-multicluster:trust.extraAnchors.

# delays no new cluster if others don't trust it either, and so refuse these certificates already
old+stranger/old reissued, old/old, absent
! bundle: next+old+stranger/previous, next+old/previous, next+old/previous

# delays new clusters beside one that can't be read, and may be new too
old+stranger/old, away, absent
! waiting: old+stranger/previous
! Cluster w trusts stranger…
! Cluster w trusts stranger…

# delays no cluster that can't be read if no certificate can be under it
old+stranger/old, away
! waiting: old+stranger/previous, next+old/previous

# delays a cluster that may be new
old+stranger/old reissued, away
! waiting: old+stranger/previous
! Cluster w trusts stranger…
`,
  );
  testSteps(
    (clusters) => first(clusters, { unknown: "remove" }),
    `
# is not removed while a certificate may be under it
old/old, old+stranger/old reissued
! waiting: old/wanted, old+stranger/wanted

# is removed if the config asks for it
old/old, old+stranger/old
! drop: old/wanted, old/wanted
> Rotation, step 3 of 3: this run removes stranger from…
> Cluster e trusts stranger, which is not one of this stack's trust anchors. It is removed as soon as that breaks nothing, and given to no other cluster.
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
  testSteps(
    (clusters) => first(clusters, { adopted: anchors(stranger) }),
    `
# is added to every cluster if the config adopts it
old+stranger/old, old/old, absent
! bundle: old+stranger/wanted, old+stranger/wanted, old+stranger/wanted
> Rotation, step 1 of 3: this run adds stranger to…
`,
  );

  const unreadableWith = (anchors: string) =>
    `Cluster w trusts ${anchors} that this stack doesn't know. With them, its trust bundle would have more than 50 certificates or 262,144 characters, and could not be read again: remove those that nobody needs from ConfigMap linkerd-identity-trust-roots there, and run again.`;

  it("refuses the cluster if a bundle with it would be too long to be read", () => {
    const many = Array.from({ length: 50 }, (_, nth) => authority({ name: `stranger ${nth}` }));
    const crowded = first({ w: restarted([old, ...many.slice(0, 49)], oldIssuer) });
    deepEqual(refusedIn(crowded), []);
    equal(knownCertificates(bundleText(crowded.clusters.get("w")?.bundle ?? [])).length, 50);
    const beyond = first({ w: restarted(many, oldIssuer), e: restarted([old], oldIssuer) });
    deepEqual(refusedIn(beyond), [unreadableWith("50 anchors")]);
    deepEqual(inWords(beyond), ["settled", "old/wanted", "old/wanted"]);
    deepEqual(notesIn(beyond), []);
    const wordy = wordyAuthorities();
    ok("value" in certificatesIn(bundleText(anchors(...wordy))));
    const long = first({ w: restarted(wordy, oldIssuer), e: restarted([old], oldIssuer) });
    deepEqual(refusedIn(long), [unreadableWith("3 anchors")]);
    deepEqual(inWords(long), ["settled", "old/wanted", "old/wanted"]);
  });
});
