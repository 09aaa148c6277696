import { deepEqual, equal, match } from "node:assert/strict";
import { argsOf, both, old, preview, RollingCluster, up } from "./rolling-cluster.ts";

type Change = (west: RollingCluster) => void;

const shop = "shop";
const paused = { paused: true };
const onDelete = { updateStrategy: { type: "OnDelete" } };
const partition = { updateStrategy: { rollingUpdate: { partition: 1 } } };
const manual = { template: { spec: { containers: [{ name: "linkerd-proxy" }] } } };
const budget = (selector: object, disruptionsAllowed: number) => (west: RollingCluster) => {
  west.add("shop/web");
  const metadata = { namespace: shop, name: "web" };
  west.server.put("poddisruptionbudgets", {
    metadata,
    spec: { selector },
    status: { disruptionsAllowed },
  });
};

/** What nobody restarts, and what the preview says of it. */
const cases: Readonly<Record<string, readonly [Change, RegExp]>> = {
  "a bare pod": [(west) => west.pod(shop, "web", [old]), /pod shop\/web-1: no workload owns it/],
  "a Job": [
    (west) => west.pod(shop, "web", [old], { kind: "Job", name: "web", uid: "1" }),
    /pod shop\/web-1: Job web owns it, which nobody restarts; its proxy trusts only anchor/,
  ],
  "a ReplicaSet": [
    (west) => {
      const { metadata } = west.server.put("replicasets", {
        metadata: { namespace: shop, name: "web" },
      });
      west.pod(shop, "web", [old], { kind: "ReplicaSet", name: "web", uid: metadata.uid });
    },
    /only ReplicaSet web owns it/,
  ],
  "a paused rollout": [(west) => west.add("shop/web", { spec: paused }), /its rollout is paused/],
  "a StatefulSet with OnDelete": [
    (west) => west.add("shop/web", { kind: "StatefulSet", spec: onDelete }),
    /StatefulSet shop\/web: its update strategy is OnDelete/,
  ],
  "a DaemonSet with OnDelete": [
    (west) => west.add("shop/web", { kind: "DaemonSet", spec: onDelete }),
    /DaemonSet shop\/web: its update strategy is OnDelete/,
  ],
  "a StatefulSet with a partition": [
    (west) => west.add("shop/web", { kind: "StatefulSet", spec: partition }),
    /its update strategy has a partition/,
  ],
  "a template that was injected by hand": [
    (west) => west.add("shop/web", { spec: manual }),
    /its template has the trust bundle \(linkerd inject --manual\)/,
  ],
  "a budget that allows nothing": [
    budget({ matchLabels: { app: "web" } }, 0),
    /its PodDisruptionBudget web allows no disruption/,
  ],
  "a budget of a whole namespace": [budget({}, 0), /its PodDisruptionBudget web allows no/],
  "a pod that claims a workload which does not select it": [
    (west) => {
      west.add("shop/web", { trusts: both });
      const { uid } = west.server.get("deployments", "shop/web")?.metadata ?? {};
      west.pod(shop, "other", [old], { kind: "Deployment", name: "web", uid });
    },
    /pod shop\/other-3: it claims to be of Deployment web, which does not select it/,
  ],
  "a pod that claims a workload by its name": [
    (west) => {
      west.add("shop/web", { trusts: both });
      west.pod(shop, "web", [old], { kind: "Deployment", name: "web", uid: "another" });
    },
    /it claims to be of Deployment web, which does not exist/,
  ],
};

describe("restarts: what is left alone", () => {
  for (const [name, [change, words]] of Object.entries(cases))
    it(`${name} is named`, async () => {
      const west = new RollingCluster("west");
      change(west);
      west.add("test/api");
      const { inputs } = await preview({ west });
      deepEqual(Object.keys(inputs.restarts?.["west"] ?? {}), ["Deployment test/api"]);
      equal(inputs.waitsFor?.length, 1);
      match(String(inputs.waitsFor), words);
      deepEqual((await up({ west })).problems, []);
      deepEqual(west.restarted, ["api"]);
    });

  it("a budget that allows a disruption, or is for others, keeps nothing", async () => {
    for (const change of [
      budget({ matchLabels: { app: "web" } }, 1),
      budget({ matchLabels: { app: "x" } }, 0),
    ]) {
      const west = new RollingCluster("west");
      change(west);
      deepEqual((await up({ west })).problems, []);
      deepEqual(west.restarted, ["web"]);
    }
  });

  it("pods without a proxy, of another control plane, and those that the config ignores count for nothing", async () => {
    const west = new RollingCluster("west").add("shop/web").add("test/web");
    west.pod(shop, "plain", undefined);
    west.server.put("pods", {
      metadata: {
        namespace: shop,
        name: "claims",
        labels: { "linkerd.io/control-plane-ns": "linkerd" },
      },
    });
    const args = argsOf({ west }, { ignored: ["west/test"] });
    const { inputs } = await preview({ west }, args);
    deepEqual(Object.keys(inputs.restarts?.["west"] ?? {}), ["Deployment shop/web"]);
    equal(inputs.waitsFor, undefined);
    await up({ west }, args);
    deepEqual(west.restarted, ["web"]);
  });

  it("names the destination controller while another cluster is away, and goes on with the rest", async () => {
    const west = new RollingCluster("west")
      .add("linkerd/linkerd-identity")
      .add("linkerd/linkerd-destination")
      .add("shop/web");
    const args = argsOf({ west }, { away: ["north"] });
    const { inputs } = await preview({ west }, args);
    match(String(inputs.waitsFor), /linkerd-destination: it waits until north can be reached/);
    await up({ west }, args);
    deepEqual(west.restarted, ["linkerd-identity", "web"]);
    await up({ west });
    equal(west.restarted.at(-1), "linkerd-destination");
  });

  it("asks for no more than 500 owners in a namespace", async () => {
    const west = new RollingCluster("west").add("shop/web");
    for (let index = 0; index < 600; index += 1)
      west.pod("flood", "web", [old], { kind: "ReplicaSet", name: `r${index}`, uid: "1" });
    const { inputs } = await preview({ west });
    deepEqual(Object.keys(inputs.restarts?.["west"] ?? {}), ["Deployment shop/web"]);
    match(String((inputs.waitsFor ?? []).at(-1)), /more/);
  });

  it("nothing is written to another cluster than at the beginning of the run, or to one that can't be read", async () => {
    const west = new RollingCluster("west").add("shop/web");
    const east = new RollingCluster("east").add("shop/web");
    const moved = argsOf({ west, east }, { clusters: { west: { context: "west", uid: "other" } } });
    match(
      String((await up({ west, east }, moved)).problems),
      /leads to another cluster than before/,
    );
    west.server.refuse = (request) => (request === "list pods" ? "server" : undefined);
    const { problems } = await up({ west, east });
    match(String(problems), /^no workload is restarted: cluster west failed to list pods/);
    deepEqual([west.restarted, east.restarted], [[], ["web"]]);
  });

  it("names workloads that the run may not patch, with the commands", async () => {
    const west = new RollingCluster("west").add("shop/web").add("shop/api");
    west.server.refuse = (request) => (request.startsWith("patch ") ? "forbidden" : undefined);
    const { problems } = await up({ west });
    equal(problems.length, 1);
    match(
      String(problems),
      /^west: this run may not restart 2 workloads of Linkerd linkerd \(Deployment shop\/(web|api), /,
    );
    match(
      String(problems),
      /\nFix: kubectl --context west -n shop rollout restart deployment\/web(\n|$)/,
    );
  });
});
