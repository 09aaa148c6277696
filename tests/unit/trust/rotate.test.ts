import { deepEqual, equal, match } from "node:assert/strict";
import type { LiveTrust } from "../../../engine/trust/live.ts";
import { rotate } from "../../../engine/trust/rotate.ts";
import { authority, issuerUnder, now } from "./certificates.ts";
import { absent, inWords, live, planIn, present, proxy, refusedIn, unreadable } from "./live.ts";

const old = authority({ name: "old" });
const next = authority({ name: "next" });
const stranger = authority({ name: "stranger" });
const [oldIssuer, nextIssuer] = [issuerUnder(old), issuerUnder(next)];
const names = new Map([
  [old.certificate, "old"],
  [next.certificate, "next"],
  [stranger.certificate, "stranger"],
]);

type Clusters = Readonly<Record<string, LiveTrust>>;

const first = (clusters: Clusters) =>
  rotate({ wanted: old.certificate, live: live(clusters), now });
const second = (clusters: Clusters) =>
  rotate({ wanted: next.certificate, previous: old.certificate, live: live(clusters), now });

/** Trusts both, with a proxy that does too. */
const bundled = (issuer = oldIssuer) =>
  present([next, old], issuer, [proxy("web-0", [next, old], 20)]);
const done = present([next], nextIssuer);
const before = present([old], oldIssuer);

type Row = readonly [name: string, clusters: Clusters, stage: string, plans: readonly string[]];

const oldOnly = "trusts old, issues wanted";
const firstRows: readonly Row[] = [
  [
    "bare clusters get the anchor and issuers",
    { w: absent, e: absent },
    "settled",
    [oldOnly, oldOnly],
  ],
  ["what is there is right", { w: before, e: before }, "settled", [oldOnly, oldOnly]],
  ["a bare cluster joins others", { w: before, e: absent }, "settled", [oldOnly, oldOnly]],
  [
    "an unreachable cluster is no reason to wait",
    { w: before, e: unreadable() },
    "settled",
    [oldOnly, oldOnly],
  ],
  ["nor are all of them", { w: unreadable() }, "settled", [oldOnly]],
  ["an issuer that is gone is given again", { w: present([old], undefined) }, "settled", [oldOnly]],
];

const both = "trusts next+old, issues previous";
const moved = "trusts next+old, issues wanted";
const asBefore = "trusts old, issues previous";
const nextOnly = "trusts next, issues wanted";
const secondRows: readonly Row[] = [
  [
    "bare clusters start with the new one",
    { w: absent, e: absent },
    "settled",
    [nextOnly, nextOnly],
  ],
  ["1: all get the new anchor, none its issuer", { w: before, e: before }, "bundle", [both, both]],
  ["1 broke off half-way", { w: bundled(), e: before }, "bundle", [both, both]],
  ["a bare cluster joins in 1", { w: before, e: absent }, "bundle", [both, both]],
  [
    "1 is done, but a proxy was not restarted",
    { w: bundled(), e: present([next, old], oldIssuer, [proxy("db-0", [old])]) },
    "waiting",
    [both, both],
  ],
  ["2: all proxies trust both", { w: bundled(), e: bundled() }, "reissue", [moved, moved]],
  ["2 broke off half-way", { w: bundled(nextIssuer), e: bundled() }, "reissue", [moved, moved]],
  [
    "a bare cluster joins in 2",
    { w: bundled(nextIssuer), e: absent },
    "drop",
    [nextOnly, nextOnly],
  ],
  [
    "3: no certificate under the old one is in use",
    { w: bundled(nextIssuer), e: bundled(nextIssuer) },
    "drop",
    [nextOnly, nextOnly],
  ],
  ["3 broke off half-way", { w: done, e: bundled(nextIssuer) }, "drop", [nextOnly, nextOnly]],
  ["done", { w: done, e: done }, "settled", [nextOnly, nextOnly]],
  [
    "done, and a cluster is out of reach",
    { w: done, e: unreadable() },
    "settled",
    [nextOnly, nextOnly],
  ],
  [
    "before 1 a cluster is out of reach",
    { w: before, e: unreadable() },
    "waiting",
    [asBefore, both],
  ],
  [
    "before 2 a cluster is out of reach",
    { w: bundled(), e: unreadable() },
    "waiting",
    [both, both],
  ],
  [
    "in 2 a cluster is out of reach",
    { w: bundled(nextIssuer), e: bundled(), n: unreadable() },
    "waiting",
    [moved, both, moved],
  ],
  [
    "the pods of a cluster can't be read",
    { w: bundled(), e: present([next, old], oldIssuer, { state: "unread", why: "forbidden" }) },
    "waiting",
    [both, both],
  ],
];

describe("trust: the first generation", () => {
  for (const [name, clusters, stage, plans] of firstRows)
    testRow(name, first(clusters), stage, clusters, plans);

  it("does not take over issuers that it did not make", () => {
    const [sentence = "", ...rest] = refusedIn(
      first({ w: present([stranger], issuerUnder(stranger)) }),
    );
    equal(rest.length, 0);
    match(
      sentence,
      /^Cluster w uses the issuer identity\.linkerd\.cluster\.local \(SHA-256 \w+\), which is not signed by any of this stack's trust anchors, old \(SHA-256 \w+\): replacing it at once would break its traffic\. .*trust\.generation back .*trust\.anchors and trust\.issuers\.$/,
    );
  });

  it("a rotation that is called off before step 2 is undone", () => {
    const called = first({ w: present([next, old], oldIssuer), e: before });
    deepEqual(inWords(called, names), ["drop", { w: oldOnly, e: oldOnly }]);
  });

  it("one that is called off after step 2 is not: its issuers are lost", () => {
    equal(refusedIn(first({ w: bundled(nextIssuer), e: bundled() })).length, 1);
  });
});

describe("trust: a rotation, from what is live", () => {
  for (const [name, clusters, stage, plans] of secondRows)
    testRow(name, second(clusters), stage, clusters, plans);

  it("a generation that is skipped is refused, cluster by cluster", () => {
    const clusters = {
      w: present([stranger], issuerUnder(stranger)),
      e: before,
      n: present([stranger], issuerUnder(stranger)),
    };
    const refused = refusedIn(second(clusters));
    deepEqual(
      refused.map((sentence) => sentence.slice(0, 9)),
      ["Cluster w", "Cluster n"],
    );
  });

  it("with no cluster to be read there is no telling where it stands", () => {
    deepEqual(refusedIn(second({ w: unreadable(), e: absent })), [
      "The progress of the trust anchor rotation is unknown, because no cluster with Linkerd could be read: cluster x can't be reached.",
    ]);
  });

  it("keeps the order in which a bundle is live, as another would restart pods", () => {
    const turned = present([old, next], oldIssuer, [proxy("a", [old, next])]);
    deepEqual(inWords(second({ w: turned }), names), [
      "reissue",
      { w: "trusts old+next, issues wanted" },
    ]);
  });

  it("gives a cluster an anchor back that others still issue under", () => {
    const hasty = second({ w: bundled(), e: done });
    deepEqual(inWords(hasty, names), ["bundle", { w: both, e: moved }]);
  });

  it("an anchor that one cluster alone trusts goes as any other, when nothing needs it", () => {
    const late = [proxy("web-0", [old, stranger])];
    const newIssuer = { ...present([old, stranger], oldIssuer, late), issuerSince: now };
    equal(planIn(first({ w: before, e: newIssuer })).stage, "waiting");
    equal(
      planIn(first({ w: before, e: { ...newIssuer, issuerSince: before.issuerSince } })).stage,
      "drop",
    );
  });

  it("forgets anchors of nobody along with the old one", () => {
    const cluttered = present([next, stranger], nextIssuer);
    deepEqual(inWords(second({ w: cluttered }), names), ["drop", { w: nextOnly }]);
  });
});

function testRow(
  name: string,
  decision: ReturnType<typeof rotate>,
  stage: string,
  clusters: Clusters,
  plans: readonly string[],
): void {
  it(name, () => {
    const expected = Object.keys(clusters).map((cluster, index) => [cluster, plans[index]]);
    deepEqual(inWords(decision, names), [stage, Object.fromEntries(expected)]);
  });
}
