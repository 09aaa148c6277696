import { anchors, stranger } from "./live.ts";
import { first, second, testSteps } from "./steps.ts";

describe("trust: the first generation", () => {
  testSteps(
    (clusters) => first(clusters),
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

# refuses only clusters of a rotation that was taken back after step 2, because their issuers are lost
next+old/next, next+old/old
! settled: old/wanted, next+old/wanted
! Cluster w uses the issuer…

# refuses only a cluster with an issuer that it did not sign
stranger/stranger, old/old
! settled: old/wanted, old/wanted
! Cluster w uses the issuer identity.linkerd.cluster.local, which is not signed by any of this stack's trust anchors, old: replacing it at once would break its traffic. If a rotation was in progress, set linkerd-multicluster:trust.generation back to the generation that it was going to; otherwise provide the anchors and issuers in use as linkerd-multicluster:trust.anchors and trust.issuers.
`,
  );
  testSteps(
    (clusters) => first(clusters, { unknown: "remove" }),
    `
# undoes a rotation that was taken back before step 2
next+old/old, old/old
! drop: old/wanted, old/wanted
`,
  );
});

describe("trust: a rotation", () => {
  const restart =
    "restart every meshed workload on every cluster, the gateways last (kubectl rollout restart)";
  testSteps(
    (clusters) => second(clusters),
    `
# gives bare clusters the new anchor
absent
! settled: next/wanted

# first adds the new anchor to every cluster
old/old, old/old
! bundle: next+old/previous, next+old/previous
> Rotation, step 1 of 3: this run adds next to the trust bundle of every cluster. Then ${restart}, and run again.

# waits while a cluster can't be read
old/old, away
! waiting: old/previous, next+old/previous
> The rotation to next is paused, because cluster x can't be reached.

# waits for a proxy that was not restarted
next+old/old, next+old/old stale
! waiting: next+old/previous, next+old/previous
> The rotation waits until all proxies trust next. Restart the workloads of 1 pod and run again: e: shop/web-0. To skip pods that aren't yours or may lose connections, add them to linkerd-multicluster:trust.ignorePods.

# waits while pods can't be read
next+old/old, next+old/old unread
! waiting: next+old/previous, next+old/previous
> The rotation is paused, because cluster w lists no pods.

# then replaces issuers, once all proxies trust both anchors
next+old/old, next+old/old
! reissue: next+old/wanted, next+old/wanted
> Rotation, step 2 of 3: this run replaces every issuer with one signed by next. Then wait five minutes, after which the old ones issue no more certificates, ${restart}, and run again; or run again a day later, when all certificates have been renewed.

# waits for a pod from before the new issuer, which can be restarted only five minutes after it
next+old/next, next+old/next reissued
! waiting: next+old/wanted, next+old/wanted
> The rotation waits until no certificate under old can be in use. Restart the workloads of 1 pod (not before 2026-08-21T12:05:00.000Z, since until then new pods may get a certificate from the old issuer) and run again, or run again after 2026-08-22T12:05:00.000Z: e: shop/web-0.

# waits for such a pod, which can be restarted now
next+old/next settled
! waiting: next+old/wanted
> The rotation waits until no certificate under old can be in use. Restart the workloads of 1 pod and run again, or run again after 2026-08-22T12:00:00.000Z: w: shop/web-0.

# last drops the old anchor, once no certificate is under it
next+old/next, next+old/next
! drop: next/wanted, next/wanted
> Rotation, step 3 of 3: this run removes old from every trust bundle. Proxies trust it until their workloads are restarted.

# adds both anchors while one cluster still issues under the old one
next+old/old, next/next
! bundle: next+old/previous, next+old/wanted

# keeps the order of live anchors, because another one would restart pods
old+next/old
! reissue: old+next/wanted

# treats refused clusters, which are still at an earlier generation, like those that can't be read
stranger/stranger, old/old, stranger/stranger
! waiting: next+old/previous, old/previous, next+old/previous
! Cluster w uses the issuer…
! Cluster n uses the issuer…

# refuses every cluster while none with Linkerd can be read, because its progress is unknown
away, absent
! waiting: 
! The progress of the trust anchor rotation is unknown, because no cluster with Linkerd could be read: cluster x can't be reached.
! The progress of…
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
  testSteps(
    (clusters) => second(clusters, { restarts: true }),
    `
# says what runs do themselves where they restart workloads
old/old
! bundle: next+old/previous
> Rotation, step 1 of 3: this run adds next to the trust bundle of every cluster, and then restarts every meshed workload.
`,
  );
});
