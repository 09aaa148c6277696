import { deepEqual, equal, match, ok } from "node:assert/strict";
import { restartedAt } from "../../../engine/restarts/workload.ts";
import {
  nextIssuer,
  now,
  old,
  argsOf,
  both,
  preview,
  RollingCluster,
  up,
} from "./rolling-cluster.ts";

const shop = "shop";

describe("restarts in a cluster with faults", () => {
  it("name pods whose ReplicaSets own each other or themselves", async () => {
    const west = new RollingCluster("west").add("shop/web");
    const owns = (name: string, owner: string) => {
      const ownerReferences = [{ kind: "ReplicaSet", name: owner, uid: owner, controller: true }];
      west.server.put("replicasets", {
        metadata: { namespace: shop, name, uid: name, ownerReferences },
      });
      west.pod(shop, "web", [old], { kind: "ReplicaSet", name, uid: name });
    };
    owns("one", "other");
    owns("other", "one");
    owns("itself", "itself");
    const { inputs } = await preview({ west });
    deepEqual(Object.keys(inputs.restarts?.["west"] ?? {}), ["Deployment shop/web"]);
    equal(inputs.waitsFor?.length, 3);
    match(String(inputs.waitsFor), /ReplicaSet other owns it, which nobody restarts/);
  });

  it("leave pods of other workloads alone that have the same labels", async () => {
    for (const trusts of [undefined, [old]]) {
      const west = new RollingCluster("west").add("shop/web");
      west.pod(shop, "web", trusts, { kind: "Job", name: "web", uid: "1" });
      deepEqual((await up({ west })).problems, []);
      deepEqual(west.restarted, ["web"]);
    }
  });

  it("go on although pods claim more owners than a run asks for, which fails the run", async () => {
    const west = new RollingCluster("west").add("shop/web");
    for (let index = 0; index < 600; index += 1) {
      const owner = { kind: "ReplicaSet", name: `r${index}`, uid: "1" };
      west.imitations.add(`shop/${west.pod(shop, "web", [old], owner)}`);
    }
    const { problems } = await up({ west });
    equal(west.restarted[0], "web");
    match(String(problems), /web: it was restarted 2 times, and of pod web-/);
  });

  it("give up a workload whose pods come and go", async () => {
    const west = new RollingCluster("west").add("shop/web").add("shop/api");
    west.crashing.add("web");
    let looks = 0;
    west.server.refuse = (request) => {
      if (request !== "get deployments shop/web" || west.restarted.length === 0) return undefined;
      looks += 1;
      const isEnd = looks > 5_000;
      const status = { updatedReplicas: isEnd ? 2 : 1, replicas: isEnd ? 2 : 3 };
      const availableReplicas = isEnd ? 2 : looks % 2;
      west.server.edit("deployments", "shop/web", { status: { ...status, availableReplicas } });
      return undefined;
    };
    const { problems } = await up({ west });
    equal(problems.length, 1);
    match(String(problems), /web: its rollout does not come to its end/);
  });

  it("wait for all rollouts together that others began and that do not end", async () => {
    const west = new RollingCluster("west").add("shop/web");
    for (let index = 0; index < 24; index += 1) {
      west.add(`shop/db${index}`, { kind: "StatefulSet" });
      const status = { currentRevision: "a", updateRevision: "b", updatedReplicas: 1 };
      west.server.edit("statefulsets", `shop/db${index}`, { status });
    }
    const { problems, time } = await up({ west });
    equal(problems.length, 24);
    deepEqual(west.restarted, ["web"]);
    equal(time.now() < 2 * 600_000, true, String(time.now()));
  });

  it("stop in a namespace in which several workloads do not come up, and nowhere else", async () => {
    const west = new RollingCluster("west");
    for (let index = 0; index < 20; index += 1) {
      west.add(`shop/web${index}`);
      west.crashing.add(`web${index}`);
    }
    west.add("team/api");
    const { problems, time } = await up({ west });
    ok(west.restarted.includes("api"));
    match(
      String(problems.at(-1)),
      /^west: this run doesn't restart 13 more workloads in namespace shop, because 4 others there did not come up: /,
    );
    ok(time.now() < 21 * 60_000);
    // The next run waits for these together, and goes on with others.
    const next = await up({ west });
    match(
      String(next.problems.at(-1)),
      /^west: this run doesn't restart \d more workloads in namespace shop/,
    );
    ok(next.time.now() < 21 * 60_000);
  });

  it("leave workloads alone if the control plane does not come up", async () => {
    const west = new RollingCluster("west").add("shop/web").add("linkerd/linkerd-identity");
    west.crashing.add("linkerd-identity");
    const { problems } = await up({ west });
    deepEqual(west.restarted, ["linkerd-identity"]);
    match(String(problems), /linkerd-identity: its rollout does not come to its end/);
    match(String(problems), /west: no more workloads are restarted, because/);
  });

  it("leave workloads alone while identity has no available pod", async () => {
    const west = new RollingCluster("west").add("shop/web");
    west.add("linkerd/linkerd-identity", { trusts: both });
    west.server.edit("deployments", "linkerd/linkerd-identity", {
      status: { availableReplicas: 0 },
    });
    const { problems } = await up({ west });
    deepEqual(west.restarted, []);
    match(String(problems), /Deployment linkerd\/linkerd-identity has no available pod/);
  });

  it("say why a webhook refuses one", async () => {
    const west = new RollingCluster("west").add("shop/web");
    west.server.admission.push((verb, object) =>
      verb === "patch" ? { status: 403, message: 'admission webhook "freeze" says no' } : object,
    );
    match(String((await up({ west })).problems), /admission webhook "freeze" says no/);
  });

  it("go on with others if a workload was created again meanwhile, or a policy rejects the patch", async () => {
    const west = new RollingCluster("west").add("shop/api").add("shop/db").add("shop/web");
    west.server.refuse = (request) => {
      if (request !== "patch deployments shop/web") return undefined;
      west.server.delete("deployments", "shop/web");
      west.add("shop/web", { trusts: both });
      return undefined;
    };
    west.server.admission.push((verb, object) =>
      verb === "patch" && object.metadata.name === "db"
        ? { status: 422, message: "spec is invalid" }
        : object,
    );
    const problems = String((await up({ west })).problems);
    const isRestarted = (name: string) =>
      JSON.stringify(west.server.get("deployments", `shop/${name}`)).includes(restartedAt);
    deepEqual(["api", "db", "web"].filter(isRestarted), ["api"]);
    match(problems, /Deployment shop\/db is not restarted: .*spec is invalid/);
    match(problems, /Deployment shop\/web is not restarted: .*metadata\.uid/);
  });

  it("stop once the injector gives pods no proxy", async () => {
    const west = new RollingCluster("west");
    for (let index = 0; index < 20; index += 1) west.add(`shop/web${index}`);
    west.server.admission.push((verb, object) => {
      if (verb === "patch") west.injected = undefined;
      return object;
    });
    const { problems } = await up({ west });
    match(String(problems), /no proxy: check deployment linkerd-proxy-injector/);
    equal(west.restarted.length <= 4, true, String(west.restarted.length));
  });

  it("are not repeated in each run for a pod that only looks like one of a workload", async () => {
    const clusters = { west: new RollingCluster("west", both, nextIssuer) };
    const { west } = clusters;
    west.issue(nextIssuer, now);
    west.add("shop/db", { kind: "StatefulSet", trusts: both });
    const { uid } = west.server.get("statefulsets", "shop/db")?.metadata ?? {};
    const args = argsOf(clusters, { leaving: [old.certificate.fingerprint] });
    const owner = { kind: "StatefulSet", name: "db", uid };
    west.imitations.add(`shop/${west.pod(shop, "db", both, owner)}`);
    const hour = 3_600_000;
    await up(clusters, args, new Date(now.getTime() + hour));
    equal(west.restarted.length, 2);
    await up(clusters, args, new Date(now.getTime() + 2 * hour));
    equal(west.restarted.length, 2);
    const { inputs } = await preview(clusters, args, new Date(now.getTime() + 3 * hour));
    match(String(inputs.waitsFor), /it was restarted at .*, and pods from before are left/);
  });
});
