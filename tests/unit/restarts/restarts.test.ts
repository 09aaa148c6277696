import { deepEqual, equal, match } from "node:assert/strict";
import { bundleText } from "../../../engine/trust/bundle.ts";
import { anchors } from "../trust/live.ts";
import {
  argsOf,
  both,
  next,
  nextIssuer,
  now,
  old,
  preview,
  RollingCluster,
  up,
} from "./rolling-cluster.ts";

const gateway = { labels: { "linkerd.io/extension": "multicluster", component: "gateway" } };

function west(): RollingCluster {
  return new RollingCluster("west")
    .add("linkerd-multicluster/linkerd-gateway", gateway)
    .add("shop/web")
    .add("shop/db", { kind: "StatefulSet" })
    .add("shop/agent", { kind: "DaemonSet" })
    .add("shop/current", { trusts: both })
    .add("linkerd/linkerd-destination")
    .add("linkerd/linkerd-proxy-injector")
    .add("linkerd/linkerd-identity");
}

const short = old.certificate.fingerprint.slice(0, 12);
const why = `2 pods: its proxy trusts only anchor ${short}`;

describe("restarts after a change of the trust bundle", () => {
  it("are listed in the preview, with the reason", async () => {
    const clusters = { west: west() };
    const { inputs, notes } = await preview(clusters);
    const listed = [
      "Deployment linkerd/linkerd-identity",
      "Deployment linkerd/linkerd-proxy-injector",
      "Deployment linkerd/linkerd-destination",
      "DaemonSet shop/agent",
      "StatefulSet shop/db",
      "Deployment shop/web",
      "Deployment linkerd-multicluster/linkerd-gateway",
    ].map((name) => [name, why]);
    deepEqual(Object.entries(inputs.restarts?.["west"] ?? {}), listed);
    match(
      String(notes),
      /^west: restarts 7 workloads: Deployment linkerd\/linkerd-identity \(2 pods: its/,
    );
    deepEqual(clusters.west.restarted, []);
  });

  it("are listed before the cluster has the bundle, and before anybody knows it", async () => {
    const clusters = { west: new RollingCluster("west", [old]).add("shop/web") };
    deepEqual((await preview(clusters)).inputs.restarts, undefined);
    const bundles = { west: bundleText(anchors(...both)) };
    const planned = await preview(clusters, argsOf(clusters, { bundles }));
    deepEqual(planned.inputs.restarts, { west: { "Deployment shop/web": why } });
    const unknown = await preview(clusters, argsOf(clusters), now, false);
    deepEqual(unknown.inputs.restarts, { west: { "Deployment shop/web": why } });
    deepEqual((await up(clusters, argsOf(clusters, { bundles }))).problems, []);
    deepEqual(clusters.west.restarted, []);
  });

  it("begin with the control plane and end with the gateways, and are done once", async () => {
    const clusters = { west: west(), east: new RollingCluster("east").add("shop/web") };
    deepEqual((await up(clusters)).problems, []);
    const { restarted } = clusters.west;
    deepEqual(restarted.slice(0, 3), [
      "linkerd-identity",
      "linkerd-proxy-injector",
      "linkerd-destination",
    ]);
    deepEqual(restarted.slice(3, 6).toSorted(), ["agent", "db", "web"]);
    deepEqual(restarted.slice(6), ["linkerd-gateway"]);
    deepEqual(clusters.east.restarted, ["web"]);
    equal((await preview(clusters)).inputs.restarts, undefined);
    await up(clusters);
    equal(restarted.length, 7);
  });

  it("wait for the rollout that a run began before it died", async () => {
    const clusters = { west: new RollingCluster("west").add("shop/web") };
    const { server } = clusters.west;
    const annotations = { "kubectl.kubernetes.io/restartedAt": "2026-08-21T11:59:00Z" };
    server.edit("deployments", "shop/web", {
      metadata: { generation: 2 },
      spec: { template: { metadata: { annotations } } },
    });
    equal(Object.keys((await preview(clusters)).inputs.restarts ?? {}).length, 1);
    server.admission.length = 0;
    const run = up(clusters);
    for (const [key] of server.all("pods")) server.delete("pods", key);
    server.edit("deployments", "shop/web", { status: { observedGeneration: 2 } });
    deepEqual((await run).problems, []);
    deepEqual(clusters.west.restarted, []);
  });

  it("wait for the injector, and leave all workloads alone if it gives pods an earlier bundle or no proxy", async () => {
    for (const [injected, words] of [
      [[old], /still gives pods an earlier trust bundle/],
      [undefined, /gives pods in namespace linkerd-multicluster no proxy/],
    ] as const) {
      const clusters = { west: new RollingCluster("west").add("shop/web") };
      clusters.west.injected = injected;
      const { problems } = await up(clusters);
      match(String(problems), words);
      deepEqual(clusters.west.restarted, []);
    }
  });

  it("are repeated once for pods that still lack an anchor, which are then named", async () => {
    const { west } = { west: new RollingCluster("west").add("shop/web") };
    west.server.admission.push((verb, object) => {
      if (verb === "patch") west.injected = [old];
      return object;
    });
    west.server.refuse = (request) => {
      if (request.startsWith("create pods")) west.injected = both;
      return undefined;
    };
    const { problems } = await up({ west });
    match(
      String(problems),
      /Deployment shop\/web: it was restarted 2 times, and of pod web-\d+, its proxy trusts only/,
    );
    deepEqual(west.restarted, ["web", "web"]);
    // The next run knows that another restart can't help.
    const { inputs } = await preview({ west }, argsOf({ west }), new Date("2026-08-22T00:00:00Z"));
    match(
      String(inputs.waitsFor),
      /^west: Deployment shop\/web: it was restarted at .*check Linkerd's injector/,
    );
    equal(inputs.restarts, undefined);
  });

  it("go on with others if a workload does not come up", async () => {
    const clusters = {
      west: new RollingCluster("west").add("shop/api").add("shop/web"),
      east: new RollingCluster("east").add("shop/web"),
    };
    clusters.west.crashing.add("api");
    const { problems } = await up(clusters);
    equal(problems.length, 1);
    match(
      String(problems),
      /^west: Deployment shop\/api: its rollout does not come to its end \(1 of 2 pods updated/,
    );
    deepEqual(clusters.west.restarted.toSorted(), ["api", "web"]);
    deepEqual(clusters.east.restarted, ["web"]);
    // Its pods wait for whoever repairs it, and no run restarts it meanwhile.
    await up(clusters);
    equal(clusters.west.restarted.length, 2);
  });
});

describe("restarts after a change of issuers", () => {
  const leaving = [old.certificate.fingerprint];

  it("wait five minutes, and then replace the pods from before", async () => {
    const clusters = { west: new RollingCluster("west", both, nextIssuer) };
    const { west } = clusters;
    west.issue(nextIssuer, now);
    west.add("shop/web", { trusts: both });
    const args = argsOf(clusters, { leaving });
    const { inputs, notes } = await preview(clusters, args);
    equal(inputs.restarts, undefined);
    equal(inputs.notBefore, "2026-08-21T12:05:00.000Z");
    match(String(notes), /^The first run after 2026-08-21T12:05:00.000Z restarts/);
    await up(clusters, args);
    deepEqual(west.restarted, []);
    const later = new Date(now.getTime() + 300_000);
    const after = await preview(clusters, args, later);
    deepEqual(after.inputs.restarts, {
      west: { "Deployment shop/web": "2 pods: its certificate may be of the previous issuer" },
    });
    deepEqual((await up(clusters, args, later)).problems, []);
    deepEqual(west.restarted, ["web"]);
    equal((await preview(clusters, args, later)).inputs.restarts, undefined);
  });

  it("are not needed when no anchor leaves, or while the issuer is under one that does", async () => {
    const renewed = { west: new RollingCluster("west", [next], nextIssuer) };
    renewed.west.issue(nextIssuer, now);
    renewed.west.add("shop/web", { trusts: [next] });
    const before = { west: new RollingCluster("west").add("shop/web", { trusts: both }) };
    for (const clusters of [renewed, before]) {
      const args = argsOf(clusters, { leaving });
      const { inputs } = await preview(clusters, args, new Date(now.getTime() + 600_000));
      deepEqual([inputs.restarts, inputs.notBefore], [undefined, undefined]);
    }
  });
});
