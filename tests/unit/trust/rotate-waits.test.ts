import { deepEqual, equal } from "node:assert/strict";
import { leavingOut } from "../../../engine/trust/live.ts";
import { day, inDays, now } from "./certificates.ts";
import {
  absent,
  but,
  type Clusters,
  live,
  next,
  nextIssuer,
  notesIn,
  old,
  oldIssuer,
  podsUnread,
  present,
  proxy,
  restarted,
  unreadable,
} from "./live.ts";
import { second } from "./steps.ts";

function row(name: string, clusters: Clusters, stage: string, decide = second) {
  it(name, () => {
    equal(decide(clusters).stage, stage);
  });
}

describe("trust: the last step of a rotation", () => {
  /** The ages of the issuer and of a pod, in hours. */
  const reissued = (issuer: number, pod: number) => {
    const west = present([next, old], nextIssuer, [proxy("web-0", [next, old], pod)]);
    return { w: but(west, { issuerSince: inDays(-issuer / 24) }) };
  };
  row("waits for a pod older than the new issuer", reissued(2, 3), "waiting");
  row("waits for such a pod until the issuer is a day old", reissued(24, 30), "waiting");
  row("goes ahead once the issuer is older than a day", reissued(24.1, 30), "drop");
  row("waits for a pod created minutes after the new issuer", reissued(2, 1.95), "waiting");
  row(
    "goes ahead if all pods were created five minutes after the new issuer",
    reissued(2, 1.9),
    "drop",
  );
  row("goes ahead once all certificates have been renewed", reissued(30, 40), "drop");
  row("waits longer where certificates live longer", reissued(30, 40), "waiting", (clusters) =>
    second(clusters, { certificateLifetimeMs: 2 * day }),
  );
});

describe("trust: a rotation and pods that never start or are ignored", () => {
  const pending = (minutes: number) => [
    { ...proxy("stuck-0", [old], minutes / 60), started: false },
  ];
  const distrusting = (minutes: number) => ({
    w: present([next, old], oldIssuer, pending(minutes)),
  });
  row("waits for a proxy that may still start", distrusting(14), "waiting");
  row("doesn't wait for a proxy that hasn't started in 15 minutes", distrusting(16), "reissue");
  const moved = but(present([next, old], nextIssuer, pending(180)), { issuerSince: now });
  row("expects no old certificate of a proxy that never started", { w: moved }, "drop");

  const proxies = [proxy("web-0", [old]), proxy("web-1", [next, old])];
  const held: Clusters = {
    w: present([next, old], oldIssuer, proxies),
    e: podsUnread([next, old], oldIssuer),
  };
  for (const [ignored, expected] of [
    [["w/shop/web-0", "e"], "reissue"],
    [["w/shop", "e"], "reissue"],
    [["w", "e"], "reissue"],
    [["w/shop/web-0"], "waiting"],
    [["e"], "waiting"],
    [["e", "w/shop/web-1", "w/web-0", "e/shop/web-0", "shop", "w/shop/web"], "waiting"],
  ] as const)
    row(`is ${expected} with trust.ignorePods ${ignored.join(", ")}`, held, expected, (clusters) =>
      second(clusters, { live: leavingOut(ignored, live(clusters)) }),
    );

  it("doesn't read an unreachable cluster as readable because its pods are ignored", () => {
    const clusters = live({ w: unreadable, e: absent });
    deepEqual(leavingOut(["w", "e"], clusters), clusters);
  });
});

describe("trust: the notes of a rotation", () => {
  function told(clusters: Clusters, ...expected: readonly string[]) {
    deepEqual(notesIn(second(clusters)), expected);
  }
  const bundled = restarted([next, old], oldIssuer);
  const before = present([old], oldIssuer);

  it("say at each step what to do next", () => {
    told(
      { w: before },
      "Rotation, step 1 of 3: this run adds next to the trust bundle of every cluster. Then restart every meshed workload on every cluster, the gateways last (kubectl rollout restart), and run again.",
    );
    told(
      { w: bundled },
      "Rotation, step 2 of 3: this run replaces every issuer with one signed by next. Then wait five minutes, after which the old ones issue no more certificates, restart every meshed workload on every cluster, the gateways last (kubectl rollout restart), and run again; or run again a day later, when all certificates have been renewed.",
    );
    told(
      { w: restarted([next, old], nextIssuer) },
      "Rotation, step 3 of 3: this run removes old from every trust bundle. Proxies trust it until their workloads are restarted.",
    );
    told({ w: present([next], nextIssuer) });
  });

  it("name up to ten pods that it waits for", () => {
    const pods = Array.from({ length: 12 }, (_, index) => proxy(`web-${index}`, [old]));
    told(
      { w: present([next, old], oldIssuer, pods) },
      "The rotation waits until all proxies trust next. Restart the workloads of 12 pods and run again: w: shop/web-0, w: shop/web-1, w: shop/web-2, w: shop/web-3, w: shop/web-4, w: shop/web-5, w: shop/web-6, w: shop/web-7, w: shop/web-8, w: shop/web-9 and 2 more. To skip pods that aren't yours or may lose connections, add them to linkerd-multicluster:trust.ignorePods.",
    );
    const late = present([next, old], nextIssuer, [proxy("web-0", [next], 3)]);
    told(
      { w: but(late, { issuerSince: now }) },
      "The rotation waits until no certificate under old can be in use. Restart the workloads of 1 pod (not before 2026-08-21T12:05:00.000Z, since until then new pods may get a certificate from the old issuer) and run again, or run again after 2026-08-22T12:05:00.000Z: w: shop/web-0.",
    );
    told(
      { w: but(late, { issuerSince: new Date(now.getTime() - 5 * 60_000) }) },
      "The rotation waits until no certificate under old can be in use. Restart the workloads of 1 pod and run again, or run again after 2026-08-22T12:00:00.000Z: w: shop/web-0.",
    );
  });

  it("name the clusters that pause it", () => {
    told(
      { w: before, e: unreadable },
      "The rotation to next is paused, because cluster x can't be reached.",
    );
    told(
      { w: podsUnread([next, old], oldIssuer) },
      "The rotation is paused, because cluster w lists no pods.",
    );
  });
});
