import { deepEqual } from "node:assert/strict";
import type { LiveTrust } from "../../../engine/trust/live.ts";
import { planProvided } from "../../../engine/trust/provided.ts";
import { type Authority, authority, issuerUnder, now } from "./certificates.ts";
import {
  absent,
  anchors,
  inWords,
  live,
  planIn,
  present,
  proxy,
  refusedIn,
  unreadable,
} from "./live.ts";

const old = authority({ name: "old" });
const next = authority({ name: "next" });
const [oldIssuer, nextIssuer] = [issuerUnder(old), issuerUnder(next)];
const names = new Map([
  [old.certificate, "old"],
  [next.certificate, "next"],
]);

type Clusters = Readonly<Record<string, LiveTrust>>;

/** The config gives these anchors, and every cluster this issuer. */
function given(bundle: readonly Authority[], issuer: Authority, clusters: Clusters) {
  const issuers = Object.keys(clusters).map((name) => [name, [issuer.certificate]] as const);
  const own = { anchors: anchors(...bundle), issuers: new Map(issuers) };
  return planProvided({ ...own, live: live(clusters), now });
}

function sentences(...args: Parameters<typeof given>): string[] {
  return refusedIn(given(...args)).map((text) => text.replaceAll(/ \(SHA-256 \w+\)/g, ""));
}

const before = present([old], oldIssuer, [proxy("web-0", [old])]);
const bundled = present([old, next], oldIssuer, [proxy("web-0", [old, next])]);
const reissued = present([old, next], nextIssuer, [proxy("web-0", [old, next])]);

describe("trust: own anchors and issuers", () => {
  const steps: readonly (readonly [string, ...Parameters<typeof given>, string, string])[] = [
    [
      "on bare clusters",
      [old],
      oldIssuer,
      { w: absent, e: absent },
      "settled",
      "trusts old, issues wanted",
    ],
    [
      "in place",
      [old],
      oldIssuer,
      { w: before, e: before },
      "settled",
      "trusts old, issues wanted",
    ],
    [
      "in place, one out of reach",
      [old],
      oldIssuer,
      { w: before, e: unreadable() },
      "settled",
      "trusts old, issues wanted",
    ],
    [
      "a second anchor",
      [next, old],
      oldIssuer,
      { w: before, e: before },
      "bundle",
      "trusts next+old, issues wanted",
    ],
    [
      "in another order than it is live",
      [next, old],
      oldIssuer,
      { w: bundled },
      "settled",
      "trusts old+next, issues wanted",
    ],
    [
      "issuers under it",
      [old, next],
      nextIssuer,
      { w: bundled, e: reissued },
      "reissue",
      "trusts old+next, issues wanted",
    ],
    [
      "the first anchor left out",
      [next],
      nextIssuer,
      { w: reissued, e: reissued },
      "drop",
      "trusts next, issues wanted",
    ],
    [
      "another issuer under the same anchor, one out of reach",
      [old],
      issuerUnder(old),
      { w: before, e: unreadable() },
      "settled",
      "trusts old, issues wanted",
    ],
  ];
  for (const [name, bundle, issuer, clusters, stage, words] of steps) {
    it(name, () => {
      const expected = Object.keys(clusters).map((cluster) => [cluster, words]);
      const decision = given(bundle, issuer, clusters);
      deepEqual(inWords(decision, names), [stage, Object.fromEntries(expected)]);
    });
  }

  it("says that restarts come before the next step", () => {
    deepEqual(planIn(given([next, old], oldIssuer, { w: before })).notes, [
      "Workloads get the new anchors when they are restarted: restart every meshed workload on every cluster before the next change of linkerd-multicluster:trust.",
    ]);
    deepEqual(planIn(given([next], nextIssuer, { w: reissued })).notes, []);
  });
});

describe("trust: own anchors and issuers out of order", () => {
  it("an issuer before its anchor", () => {
    deepEqual(sentences([old, next], nextIssuer, { w: bundled, e: before }), [
      "linkerd-multicluster:trust.issuers.w is signed by next, which e does not trust yet. Keep the old issuer, add the anchor to linkerd-multicluster:trust.anchors, run, restart every meshed workload, and only then change the issuer.",
      "linkerd-multicluster:trust.issuers.e is signed by next, which e does not trust yet. Keep the old issuer, add the anchor to linkerd-multicluster:trust.anchors, run, restart every meshed workload, and only then change the issuer.",
    ]);
  });

  it("an issuer before the restarts", () => {
    const stale = present([old, next], oldIssuer, [proxy("db-0", [old])]);
    deepEqual(sentences([old, next], nextIssuer, { w: stale }), [
      "linkerd-multicluster:trust.issuers.w is signed by next, which the proxies of these pods do not trust yet. Keep the old issuer until their workloads are restarted: w: shop/db-0.",
    ]);
  });

  it("an anchor left out before the issuers", () => {
    deepEqual(sentences([next], nextIssuer, { w: bundled }), [
      "linkerd-multicluster:trust.anchors lacks old, which signed the issuer that cluster w uses now. Keep it next to the new one until every cluster has an issuer signed by the new one.",
    ]);
  });

  it("an anchor left out before certificates under it are gone", () => {
    const late = { ...reissued, issuerSince: now };
    deepEqual(sentences([next], nextIssuer, { w: late }), [
      "linkerd-multicluster:trust.anchors lacks old, under which certificates may still be in use. Keep it until these workloads are restarted (not before 2026-08-21T12:05:00.000Z, since until then new pods may get a certificate from the old issuer), or until 2026-08-22T12:05:00.000Z: w: shop/web-0.",
    ]);
  });

  it("an anchor left out that a proxy has nothing beside", () => {
    const stale = present([old, next], nextIssuer, [proxy("db-0", [old])]);
    deepEqual(sentences([next], nextIssuer, { w: stale, e: reissued }), [
      "linkerd-multicluster:trust.anchors lacks old, and some proxies trust nothing else that is in use. Keep it until these workloads are restarted: w: shop/db-0.",
    ]);
  });

  it("everything at once", () => {
    deepEqual(
      sentences([next], nextIssuer, { w: before }).map((text) => text.split(" ")[0]),
      ["linkerd-multicluster:trust.issuers.w", "linkerd-multicluster:trust.anchors"],
    );
  });

  it("any such step while something can't be read", () => {
    deepEqual(sentences([next], nextIssuer, { w: reissued, e: unreadable() }), [
      "No issuer can move to another anchor, and no anchor can be removed, because cluster x can't be reached.",
    ]);
    const unread = present([old, next], nextIssuer, {
      state: "unread",
      why: "cluster w lists no pods",
    });
    deepEqual(sentences([next], nextIssuer, { w: unread }), [
      "No issuer can move to another anchor, and no anchor can be removed, because cluster w lists no pods.",
    ]);
  });

  it("an issuer under another anchor where the one in use is gone", () => {
    const lost = present([old], undefined, [proxy("web-0", [old])]);
    deepEqual(sentences([old, next], nextIssuer, { w: lost }).length, 1);
    deepEqual(sentences([old], oldIssuer, { w: lost }), []);
  });
});
