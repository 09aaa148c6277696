import { deepEqual, equal } from "node:assert/strict";
import { leavingOut, type LiveTrust } from "../../../engine/trust/live.ts";
import { rotate } from "../../../engine/trust/rotate.ts";
import { authority, day, issuerUnder, now } from "./certificates.ts";
import { absent, live, planIn, present, proxy, unreadable } from "./live.ts";

const old = authority({ name: "old" });
const next = authority({ name: "next" });
const [oldIssuer, nextIssuer] = [issuerUnder(old), issuerUnder(next)];

type Clusters = Readonly<Record<string, LiveTrust>>;

const second = (clusters: Clusters) =>
  rotate({ wanted: next.certificate, previous: old.certificate, live: live(clusters), now });

/** Trusts both, with a proxy that does too. */
const bundled = (issuer = oldIssuer) =>
  present([next, old], issuer, [proxy("web-0", [next, old], 20)]);
const done = present([next], nextIssuer);
const before = present([old], oldIssuer);

describe("trust: certificates that outlive their issuer", () => {
  const since = (hoursAgo: number) => new Date(now.getTime() - (hoursAgo * day) / 24);
  const reissued = (issuerHours: number, podHours: number) => ({
    w: {
      ...present([next, old], nextIssuer, [proxy("web-0", [next, old], podHours)]),
      issuerSince: since(issuerHours),
    },
  });

  it("a pod older than the new issuer has one for up to a day", () => {
    equal(planIn(second(reissued(2, 3))).stage, "waiting");
    equal(planIn(second(reissued(24, 30))).stage, "waiting");
    equal(planIn(second(reissued(24.1, 30))).stage, "drop");
  });

  it("a younger one does not, once the issuer has come to the identity controller", () => {
    equal(planIn(second(reissued(2, 1.95))).stage, "waiting");
    equal(planIn(second(reissued(2, 1.9))).stage, "drop");
  });

  it("longer where certificates live longer", () => {
    const clusters = live(reissued(30, 40));
    const both = { wanted: next.certificate, previous: old.certificate, live: clusters, now };
    equal(planIn(rotate(both)).stage, "drop");
    equal(planIn(rotate({ ...both, certificateLifetime: 2 * day })).stage, "waiting");
  });
});

describe("trust: pods that hold nobody up", () => {
  const pending = (minutes: number) => ({
    ...proxy("stuck-0", [old], minutes / 60),
    started: false,
  });
  const stage = (clusters: Clusters) => planIn(second(clusters)).stage;

  it("one whose proxy does not come up is waited for no longer than pods take to start", () => {
    equal(stage({ w: present([next, old], oldIssuer, [pending(14)]) }), "waiting");
    equal(stage({ w: present([next, old], oldIssuer, [pending(16)]) }), "reissue");
  });

  it("and has no certificate of the issuer before", () => {
    const reissued = { ...present([next, old], nextIssuer, [pending(180)]), issuerSince: now };
    equal(stage({ w: reissued }), "drop");
  });

  const held: Clusters = {
    w: present([next, old], oldIssuer, [proxy("web-0", [old]), proxy("web-1", [next, old])]),
    e: present([next, old], oldIssuer, { state: "unread", why: "cluster e lists no pods" }),
  };
  const ignoring = (...ignored: readonly string[]) => {
    const left = leavingOut(ignored, live(held));
    const both = { wanted: next.certificate, previous: old.certificate, live: left, now };
    return planIn(rotate(both)).stage;
  };

  for (const [ignored, expected] of [
    [["w/shop/web-0", "e"], "reissue"],
    [["w/shop", "e"], "reissue"],
    [["w", "e"], "reissue"],
    [["w/shop/web-0"], "waiting"],
    [["e"], "waiting"],
    [["e", "w/shop/web-1", "w/web-0", "e/shop/web-0", "shop", "w/shop/web"], "waiting"],
  ] as const)
    it(`those that the config says to ignore: ${ignored.join(", ")}`, () => {
      equal(ignoring(...ignored), expected);
    });

  it("ignoring pods makes no cluster readable", () => {
    const clusters = live({ w: unreadable(), e: absent });
    deepEqual(leavingOut(["w", "e"], clusters), clusters);
  });
});

describe("trust: what the user is told", () => {
  const told = (clusters: Clusters) =>
    planIn(second(clusters)).notes.map((note) => note.replaceAll(/ \(SHA-256 \w+\)/g, ""));

  it("at each step what to do next", () => {
    deepEqual(told({ w: before }), [
      "Rotation, step 1 of 3: this run adds next to the trust bundle of every cluster. Then restart every meshed workload on every cluster, the gateways last (kubectl rollout restart), and run again.",
    ]);
    deepEqual(told({ w: bundled() }), [
      "Rotation, step 2 of 3: this run replaces every issuer with one signed by next. Then wait five minutes, after which the old ones issue no more certificates, restart every meshed workload on every cluster, the gateways last (kubectl rollout restart), and run again; or run again a day later, when all certificates have been renewed.",
    ]);
    deepEqual(told({ w: bundled(nextIssuer) }), [
      "Rotation, step 3 of 3: this run removes old from every trust bundle. Proxies trust it until their workloads are restarted.",
    ]);
    deepEqual(told({ w: done }), []);
  });

  it("what a rotation waits for: pods, by name as far as they fit", () => {
    const pods = Array.from({ length: 12 }, (_, index) => proxy(`web-${index}`, [old]));
    deepEqual(told({ w: present([next, old], oldIssuer, pods) }), [
      "The rotation waits until all proxies trust next. Restart the workloads of 12 pods and run again: w: shop/web-0, w: shop/web-1, w: shop/web-2, w: shop/web-3, w: shop/web-4, w: shop/web-5, w: shop/web-6, w: shop/web-7, w: shop/web-8, w: shop/web-9 and 2 more. What is no proxy of yours, or may break, goes into linkerd-multicluster:trust.ignorePods.",
    ]);
    const late = {
      ...present([next, old], nextIssuer, [proxy("web-0", [next], 3)]),
      issuerSince: now,
    };
    deepEqual(told({ w: late }), [
      "The rotation waits until no certificate under old can be in use. Restart the workloads of 1 pod (not before 2026-08-21T12:05:00.000Z, since until then new pods may get a certificate from the old issuer) and run again, or run again after 2026-08-22T12:05:00.000Z: w: shop/web-0.",
    ]);
    const settled = { ...late, issuerSince: new Date(now.getTime() - 5 * 60_000) };
    deepEqual(told({ w: settled }), [
      "The rotation waits until no certificate under old can be in use. Restart the workloads of 1 pod and run again, or run again after 2026-08-22T12:00:00.000Z: w: shop/web-0.",
    ]);
  });

  it("what a rotation waits for: clusters", () => {
    deepEqual(told({ w: before, e: unreadable("cluster e can't be reached") }), [
      "The rotation to next is paused, because cluster e can't be reached.",
    ]);
    deepEqual(
      told({
        w: present([next, old], oldIssuer, { state: "unread", why: "cluster w lists no pods" }),
      }),
      ["The rotation is paused, because cluster w lists no pods."],
    );
  });
});
