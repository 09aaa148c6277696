import { deepEqual, equal } from "node:assert/strict";
import { leavingOut } from "../../../engine/trust/live.ts";
import type { Rotation } from "../../../engine/trust/rotation.ts";
import { authority, day, inDays, issuerUnder, now } from "./certificates.ts";
import {
  absent,
  but,
  type Clusters,
  inWords,
  live,
  next,
  nextIssuer,
  old,
  oldIssuer,
  podsUnread,
  present,
  proxy,
  unreadable,
} from "./live.ts";
import { second } from "./steps.ts";

describe("trust: the last step of a rotation", () => {
  /** Returns the stage by the ages of the issuer and of a pod, in hours. */
  const stageAfter = (issuer: number, pod: number, more: Partial<Rotation> = {}) => {
    const west = present([next, old], nextIssuer, [proxy("web-0", [next, old], pod)]);
    return second({ w: but(west, { issuerSince: inDays(-issuer / 24) }) }, more).stage;
  };

  it("waits for pods from before the new issuer, or from minutes after it", () => {
    const stages = [3, 1.95, 1.9].map((pod) => stageAfter(2, pod));
    deepEqual(stages, ["waiting", "waiting", "drop"]);
  });

  it("expects no certificate of the previous issuer once it can issue no more", () => {
    // Five minutes after the change, to the millisecond.
    const pod = {
      ...proxy("web-0", [next, old]),
      createdAt: new Date(inDays(-1).getTime() + 300_000),
    };
    const west = present([next, old], nextIssuer, [pod]);
    equal(second({ w: but(west, { issuerSince: inDays(-1) }) }).stage, "drop");
  });

  it("is the first one if no cluster has a valid issuer", () => {
    const web = [proxy("web-0", [old], 20)];
    const west = present([old], oldIssuer, web);
    const longer = authority({ name: "old", notAfter: inDays(5000) });
    const valid = present([longer], issuerUnder(longer, { notAfter: inDays(5000) }), web);
    const short = present([longer], issuerUnder(longer, { notAfter: inDays(3650) }), web);
    const at = { now: inDays(3700), previous: longer.certificate };
    deepEqual(inWords(second({ w: short, e: short }, at)), ["drop", "next/wanted", "next/wanted"]);
    equal(second({ w: short, e: valid }, at).stage, "bundle");
    equal(second({ w: short, e: unreadable }, at).stage, "waiting");
    equal(second({ w: short }, { ...at, by: "the stack" }).stage, "bundle");
    equal(second({ w: west }, { now: inDays(3700) }).stage, "drop");
    equal(second({ w: west }).stage, "bundle");
  });

  it("waits until such pods have renewed their certificates, which takes a day by default", () => {
    const stages = [24, 24.1].map((issuer) => stageAfter(issuer, 30));
    deepEqual(stages, ["waiting", "drop"]);
    equal(stageAfter(30, 40, { certificateLifetimeMs: 2 * day }), "waiting");
  });

  it("waits in each cluster for the lifetime that the cluster shows", () => {
    const moved = (certificateLifetimeMs: number, pod: number) =>
      but(present([next, old], nextIssuer, [proxy("web-0", [next, old], pod)]), {
        issuerSince: inDays(-2),
        certificateLifetimeMs,
      });
    const stages = [moved(30 * day, 50), moved(30 * day, 40), moved(day, 50)].map(
      (west) => second({ w: west, e: moved(0, 50) }).stage,
    );
    deepEqual(stages, ["waiting", "drop", "drop"]);
  });
});

describe("trust: a rotation and pods that never start or are ignored", () => {
  const pending = (minutes: number) => ({
    ...proxy("stuck-0", [old], minutes / 60),
    started: false,
  });

  it("waits no longer than 15 minutes for a proxy to start", () => {
    const stages = [14, 16].map((minutes) => {
      return second({ w: present([next, old], oldIssuer, [pending(minutes)]) }).stage;
    });
    deepEqual(stages, ["waiting", "reissue"]);
  });

  it("expects no old certificate of a proxy that never started", () => {
    const moved = but(present([next, old], nextIssuer, [pending(180)]), { issuerSince: now });
    equal(second({ w: moved }).stage, "drop");
  });

  const proxies = [proxy("web-0", [old]), proxy("web-1", [next, old])];
  const held: Clusters = {
    w: present([next, old], oldIssuer, proxies),
    e: but(present([next, old], oldIssuer), podsUnread),
  };
  for (const { ignored, stage } of [
    { ignored: ["w/shop/web-0", "e"], stage: "reissue" },
    { ignored: ["w/shop", "e"], stage: "reissue" },
    { ignored: ["w", "e"], stage: "reissue" },
    { ignored: ["w/shop/web-0"], stage: "waiting" },
    {
      ignored: ["e", "w/shop/web-1", "w/web-0", "e/shop/web-0", "shop", "w/shop/web"],
      stage: "waiting",
    },
  ])
    it(`is ${stage} with trust.ignorePods ${ignored.join(", ")}`, () => {
      equal(second(held, { live: leavingOut(ignored, live(held)) }).stage, stage);
    });

  it("doesn't read an unreachable cluster as readable because its pods are ignored", () => {
    const clusters = live({ w: unreadable, e: absent });
    deepEqual(leavingOut(["w", "e"], clusters), clusters);
  });
});
