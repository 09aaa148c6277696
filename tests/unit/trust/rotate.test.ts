import { deepEqual } from "node:assert/strict";
import { issuerUnder } from "./certificates.ts";
import {
  absent,
  anchors,
  inWords,
  next,
  nextIssuer,
  old,
  oldIssuer,
  present,
  refusedClustersIn,
  restarted,
  stranger,
  unreadable,
} from "./live.ts";
import { first, removing, second, testSteps } from "./steps.ts";

const before = present([old], oldIssuer);
const bundled = restarted([next, old], oldIssuer);
const reissued = restarted([next, old], nextIssuer);
const away = unreadable;

const right = "old/wanted";

describe("trust: the first generation", () => {
  testSteps(
    first,
    `
# gives bare clusters the anchor
absent, absent
! settled: old/wanted, old/wanted

# leaves clusters alone that have it
old/old, old/old
! settled: old/wanted, old/wanted

# is settled if no cluster can be read
away
! settled: old/wanted

# replaces a missing issuer
old/none
! settled: old/wanted
`,
  );
  testSteps(
    removing,
    `
# undoes a rotation that was taken back before step 2
next+old/old, old/old
! drop: old/wanted, old/wanted
`,
  );

  it("refuses clusters of a rotation that was taken back after step 2, because their issuers are lost", () => {
    deepEqual(Object.keys(refusedClustersIn(first({ w: reissued, e: bundled }))), ["w"]);
  });

  it("refuses a cluster with an issuer that it did not sign", () => {
    deepEqual(refusedClustersIn(first({ w: present([stranger], issuerUnder(stranger)) })), {
      w: "Cluster w uses the issuer identity.linkerd.cluster.local, which is not signed by any of this stack's trust anchors, old: replacing it at once would break its traffic. If a rotation was in progress, set linkerd-multicluster:trust.generation back to the generation that it was going to; otherwise provide the anchors and issuers in use as linkerd-multicluster:trust.anchors and trust.issuers.",
    });
  });
});

describe("trust: a rotation", () => {
  testSteps(
    second,
    `
# gives bare clusters the new anchor
absent
! settled: next/wanted

# first adds the new anchor to every cluster
old/old, old/old
! bundle: next+old/previous, next+old/previous

# waits for a proxy that was not restarted
next+old/old, next+old/old stale
! waiting: next+old/previous, next+old/previous

# waits while pods can't be read
next+old/old, next+old/old unread
! waiting: next+old/previous, next+old/previous

# then replaces issuers, once all proxies trust both anchors
next+old/old, next+old/old
! reissue: next+old/wanted, next+old/wanted

# last drops the old anchor, once no certificate is under it
next+old/next, next+old/next
! drop: next/wanted, next/wanted

# is settled in the end
next/next, next/next
! settled: next/wanted, next/wanted

# adds both anchors while one cluster still issues under the old one
next+old/old, next/next
! bundle: next+old/previous, next+old/wanted

# keeps the order of live anchors, because another one would restart pods
old+next/old
! reissue: old+next/wanted
`,
  );
  testSteps(
    (clusters) => second(clusters, { adopted: anchors(stranger) }),
    `
# does not bring back an anchor that was dropped
next/next, absent
! bundle: next+stranger/wanted, next+stranger/wanted
`,
  );

  it("refuses only the clusters that are still at an earlier generation", () => {
    const skipped = present([stranger], issuerUnder(stranger));
    const decision = second({ w: skipped, e: before, n: skipped });
    const refused = Object.entries(refusedClustersIn(decision));
    deepEqual(
      refused.map(([name, why]) => `${name}: ${why.slice(0, 33)}`),
      ["w: Cluster w uses the issuer identit", "n: Cluster n uses the issuer identit"],
    );
    // The others are as safe as beside a cluster that can't be read.
    deepEqual(inWords(decision), [
      "waiting",
      "next+old/previous",
      "old/previous",
      "next+old/previous",
    ]);
    deepEqual(inWords(first({ w: skipped, e: before })), ["settled", right, right]);
  });

  it("refuses every cluster while none with Linkerd can be read, because its progress is unknown", () => {
    const decision = second({ w: away, e: absent });
    const why =
      "The progress of the trust anchor rotation is unknown, because no cluster with Linkerd could be read: cluster x can't be reached.";
    deepEqual(refusedClustersIn(decision), { w: why, e: why });
    deepEqual(inWords(decision), ["waiting"]);
  });
});
