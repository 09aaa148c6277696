import { deepEqual, equal, match } from "node:assert/strict";
import type { LiveTrust } from "../../../engine/trust/live.ts";
import { rotate } from "../../../engine/trust/rotate.ts";
import { type Authority, authority, day, issuerUnder, now } from "./certificates.ts";
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

const one = { wanted: old.certificate, now };
const two = { wanted: next.certificate, previous: old.certificate, now };
const first = (clusters: Clusters) => rotate({ ...one, live: live(clusters) });
const second = (clusters: Clusters) => rotate({ ...two, live: live(clusters) });

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
    const clusters = { w: present([next, old], oldIssuer), e: before };
    const called = rotate({ ...one, unknown: "remove", live: live(clusters) });
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
});

describe("trust: anchors that are none of the stack's", () => {
  const strange = (bundle: readonly Authority[], issuer = oldIssuer) =>
    present([...bundle, stranger], issuer, [proxy("web-0", [...bundle, stranger], 20)]);
  const told = (decision: ReturnType<typeof rotate>) =>
    planIn(decision).notes.map((note) => note.replaceAll(/ \(SHA-256 \w+\)/g, ""));

  for (const [step, w, e, expected] of [
    [
      "settled",
      strange([old]),
      before,
      ["bundle", `${both.slice(0, 15)}+stranger, issues previous`, both],
    ],
    [
      "1",
      strange([next, old]),
      bundled(),
      ["reissue", "trusts next+old+stranger, issues wanted", moved],
    ],
    [
      "2",
      strange([next, old], nextIssuer),
      bundled(nextIssuer),
      ["drop", "trusts next+stranger, issues wanted", nextOnly],
    ],
    [
      "3",
      strange([next], nextIssuer),
      done,
      ["settled", "trusts next+stranger, issues wanted", nextOnly],
    ],
  ] as const)
    it(`stay where they are, and come to no other cluster: after step ${step}`, () => {
      const [stage, west, east] = expected;
      const decision = second({ w, e, n: absent });
      const [got, plans] = inWords(decision, names);
      deepEqual([got, plans.w?.split(",").length, plans.e], [stage, 2, east]);
      deepEqual(new Set(plans.w?.split(/[ +,]+/)), new Set(west.split(/[ +,]+/)));
      equal(plans.n?.includes("stranger"), false);
    });

  it("are told of in every run, with what can be done", () => {
    deepEqual(told(first({ w: strange([old]), e: strange([old]), n: before })), [
      "Clusters w, e trust stranger, which is none of this stack's trust anchors. It stays there, and is given to no other cluster. To have every cluster trust it, add it to linkerd-multicluster:trust.extraAnchors; to remove it, set linkerd-multicluster:trust.unknownAnchors to remove.",
    ]);
    const [step, note] = told(second({ w: strange([old]), e: before }));
    match(step ?? "", /^Rotation, step 1 of 3: this run adds next to/);
    match(note ?? "", /^Cluster w trusts stranger, which/);
  });

  it("go if the config says so, when nothing needs them", () => {
    const late = [proxy("web-0", [old, stranger])];
    const newIssuer = { ...present([old, stranger], oldIssuer, late), issuerSince: now };
    const remove = (clusters: Clusters) =>
      rotate({ ...one, unknown: "remove", live: live(clusters) });
    equal(planIn(remove({ w: before, e: newIssuer })).stage, "waiting");
    const settled = remove({ w: before, e: { ...newIssuer, issuerSince: before.issuerSince } });
    deepEqual(inWords(settled, names), ["drop", { w: oldOnly, e: oldOnly }]);
    match(told(settled)[1] ?? "", /It is removed as soon as that breaks nothing/);
    const rotating = rotate({
      ...two,
      unknown: "remove",
      live: live({ w: strange([old]), e: before }),
    });
    equal(inWords(rotating, names)[1].e, both);
  });

  it("come to every cluster if the config adopts them, and are no strangers then", () => {
    const adopt = (clusters: Clusters) =>
      rotate({ ...one, adopted: [stranger.certificate], live: live(clusters) });
    const all = "trusts old+stranger, issues wanted";
    const decision = adopt({ w: strange([old]), e: before, n: absent });
    deepEqual(inWords(decision, names), ["bundle", { w: all, e: all, n: all }]);
    match(
      told(decision).join(),
      /^Rotation, step 1 of 3: this run adds stranger to [^,]*, the [^,]*, and[^,]*$/,
    );
    deepEqual(inWords(adopt({ w: strange([old]), e: strange([old]) }), names), [
      "settled",
      { w: all, e: all },
    ]);
  });

  it("keep a new cluster waiting while certificates under them may be in use", () => {
    const fresh = { ...strange([old]), issuerSince: new Date(now.getTime() - day / 2) };
    match(
      refusedIn(second({ w: fresh, n: absent })).join(),
      /, and certificates under it may still be in use: new clusters \(n\) would refuse them\. Restart these workloads, or run again after 2026-08-22T00:05:00\.000Z: w: shop\/web-0\. /,
    );
    equal(planIn(second({ w: fresh })).stage, "bundle");
    equal(refusedIn(second({ w: strange([old]), e: unreadable(), n: absent })).length, 1);
    equal(refusedIn(second({ w: strange([old]), n: absent })).length, 0);
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
