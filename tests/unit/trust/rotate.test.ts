import { deepEqual, equal, match } from "node:assert/strict";
import { bundleText } from "../../../engine/trust/bundle.ts";
import { knownCertificates } from "../../../engine/trust/certificate.ts";
import { rotate } from "../../../engine/trust/rotate.ts";
import type { Rotation } from "../../../engine/trust/rotation.ts";
import { type Authority, authority, inDays, issuerUnder, now } from "./certificates.ts";
import {
  absent,
  but,
  anchors,
  type Clusters,
  inDigits,
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
  restarted,
  stranger,
  unreadable,
} from "./live.ts";

type Decide = (clusters: Clusters) => ReturnType<typeof rotate>;

const first = (clusters: Clusters, more: Partial<Rotation> = {}) =>
  rotate({ wanted: old.certificate, now, live: live(clusters), ...more });
const second = (clusters: Clusters, more: Partial<Rotation> = {}) =>
  first(clusters, { wanted: next.certificate, previous: old.certificate, ...more });
const removing: Decide = (clusters) => first(clusters, { unknown: "remove" });

/** Expects the stage, and the plan of each cluster as `anchor+anchor/issuer`. */
function row(name: string, decide: Decide, clusters: Clusters, ...expected: readonly string[]) {
  it(name, () => {
    deepEqual(inDigits(decide(clusters)), expected);
  });
}

const before = present([old], oldIssuer);
const bundled = restarted([next, old], oldIssuer);
const reissued = restarted([next, old], nextIssuer);
const done = present([next], nextIssuer);
const stale = present([next, old], oldIssuer, [proxy("db-0", [old])]);
const unread = podsUnread([next, old], oldIssuer);
const away = unreadable;

const right = "old/wanted";

describe("trust: the first generation", () => {
  row("gives bare clusters the anchor", first, { w: absent, e: absent }, "settled", right, right);
  row(
    "leaves clusters alone that have it",
    first,
    { w: before, e: before },
    "settled",
    right,
    right,
  );
  row("is settled if no cluster can be read", first, { w: away }, "settled", right);
  row("replaces a missing issuer", first, { w: present([old], undefined) }, "settled", right);
  const calledOff = { w: present([next, old], oldIssuer), e: before };
  row(
    "undoes a rotation that was taken back before step 2",
    removing,
    calledOff,
    "drop",
    right,
    right,
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
  const [asBefore, both, moved] = ["old/previous", "next+old/previous", "next+old/wanted"];
  const end = "next/wanted";
  row("gives bare clusters the new anchor", second, { w: absent }, "settled", end);
  row(
    "first adds the new anchor to every cluster",
    second,
    { w: before, e: before },
    "bundle",
    both,
    both,
  );
  row(
    "waits for a proxy that was not restarted",
    second,
    { w: bundled, e: stale },
    "waiting",
    both,
    both,
  );
  row(
    "then replaces issuers, once all proxies trust both anchors",
    second,
    { w: bundled, e: bundled },
    "reissue",
    moved,
    moved,
  );
  row(
    "last drops the old anchor, once no certificate is under it",
    second,
    { w: reissued, e: reissued },
    "drop",
    end,
    end,
  );
  row("is settled in the end", second, { w: done, e: done }, "settled", end, end);
  row("waits while pods can't be read", second, { w: bundled, e: unread }, "waiting", both, both);
  const adopting: Decide = (clusters) => second(clusters, { adopted: anchors(stranger) });
  const last = "next+stranger/wanted";
  row(
    "does not bring back an anchor that was dropped",
    adopting,
    { w: done, e: absent },
    "bundle",
    last,
    last,
  );
  row(
    "adds both anchors while one cluster still issues under the old one",
    second,
    { w: bundled, e: done },
    "bundle",
    both,
    moved,
  );
  // Another order would restart pods.
  const turned = { w: restarted([old, next], oldIssuer) };
  row("keeps the order of live anchors", second, turned, "reissue", "old+next/wanted");

  it("refuses only the clusters that are still at an earlier generation", () => {
    const skipped = present([stranger], issuerUnder(stranger));
    const decision = second({ w: skipped, e: before, n: skipped });
    const refused = Object.entries(refusedClustersIn(decision));
    deepEqual(
      refused.map(([name, why]) => `${name}: ${why.slice(0, 33)}`),
      ["w: Cluster w uses the issuer identit", "n: Cluster n uses the issuer identit"],
    );
    // The others are as safe as beside a cluster that can't be read.
    deepEqual(inDigits(decision), ["waiting", both, asBefore, both]);
    deepEqual(inDigits(first({ w: skipped, e: before })), ["settled", right, right]);
  });

  it("refuses every cluster while none with Linkerd can be read, because its progress is unknown", () => {
    const decision = second({ w: away, e: absent });
    const why =
      "The progress of the trust anchor rotation is unknown, because no cluster with Linkerd could be read: cluster x can't be reached.";
    deepEqual(refusedClustersIn(decision), { w: why, e: why });
    deepEqual(inDigits(decision), ["waiting"]);
  });
});

describe("trust: an anchor that isn't the stack's", () => {
  const strange = (bundle: readonly Authority[], issuer = oldIssuer) =>
    restarted([...bundle, stranger], issuer);
  const clusters = (w: ReturnType<typeof strange>, e = before) => ({ w, e, n: absent });

  const added = clusters(strange([old]));
  const both = "next+old/previous";
  row(
    "stays where it is in step 1",
    second,
    added,
    "bundle",
    "next+old+stranger/previous",
    both,
    both,
  );
  const in2 = clusters(strange([next, old]), bundled);
  const moved = "next+old/wanted";
  row(
    "stays where it is in step 2",
    second,
    in2,
    "reissue",
    "next+old+stranger/wanted",
    moved,
    moved,
  );
  const in3 = clusters(strange([next, old], nextIssuer), reissued);
  const end = "next/wanted";
  row("stays where it is in step 3", second, in3, "drop", "next+stranger/wanted", end, end);
  const after = clusters(strange([next], nextIssuer), done);
  row(
    "stays where it is after the rotation",
    second,
    after,
    "settled",
    "next+stranger/wanted",
    end,
    end,
  );

  const late = present([old, stranger], oldIssuer, [proxy("web-0", [old, stranger])]);
  const needed = { w: before, e: but(late, { issuerSince: now }) };
  row(
    "is not removed while a certificate may be under it",
    removing,
    needed,
    "waiting",
    right,
    "old+stranger/wanted",
  );
  const unneeded = { w: before, e: late };
  row("is removed if the config asks for it", removing, unneeded, "drop", right, right);
  const rotating: Decide = (clusters) => second(clusters, { unknown: "remove" });
  const three = "next+old+stranger/previous";
  row(
    "is not removed before step 3",
    rotating,
    { w: strange([old]), e: before },
    "bundle",
    three,
    both,
  );

  const adopting: Decide = (clusters) => first(clusters, { adopted: anchors(stranger) });
  const all = "old+stranger/wanted";
  row(
    "is added to every cluster if the config adopts it",
    adopting,
    added,
    "bundle",
    all,
    all,
    all,
  );
  const everywhere = { w: strange([old]), e: strange([old]) };
  row("is settled once every cluster trusts it", adopting, everywhere, "settled", all, all);

  it("is reported in every run, with what to do", () => {
    const stays =
      "which is none of this stack's trust anchors. It stays there, and is given to no other cluster. To have every cluster trust it, add it to linkerd-multicluster:trust.extraAnchors; to remove it, set linkerd-multicluster:trust.unknownAnchors to remove.";
    deepEqual(notesIn(first({ ...everywhere, n: before })), [
      `Clusters w, e trust stranger, ${stays}`,
    ]);
    deepEqual(notesIn(second(added))[1], `Cluster w trusts stranger, ${stays}`);
    deepEqual(
      notesIn(removing(unneeded))[1],
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
    deepEqual(inDigits(beyond), ["settled", right, right]);
    deepEqual(notesIn(beyond), []);
  });

  it("refuses only new clusters while a certificate may be under it", () => {
    const fresh = but(strange([old]), { issuerSince: inDays(-0.5) });
    const decision = second({ w: fresh, n: absent });
    deepEqual(refusedClustersIn(decision), {
      n: "Cluster w trusts stranger, which is none of this stack's trust anchors, and certificates under it may still be in use: new clusters (n) would refuse them. Restart these workloads, or run again after 2026-08-22T00:05:00.000Z: w: shop/web-0. Or have every cluster trust it: add it to linkerd-multicluster:trust.extraAnchors.",
    });
    deepEqual(inDigits(decision), ["bundle", "next+old+stranger/previous"]);
    const refused = (clusters: Clusters) => Object.keys(refusedClustersIn(second(clusters)));
    deepEqual(refused({ w: strange([old]), e: away, n: absent }), ["e", "n"]);
    deepEqual(refused({ w: strange([old]), n: absent }), []);
    deepEqual(refused({ w: fresh, e: away }), ["e"]);
    // Those who don't trust it refuse these certificates already.
    deepEqual(refused({ w: fresh, e: before, n: absent }), []);
  });
});
