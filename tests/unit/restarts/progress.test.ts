import { deepEqual, equal } from "node:assert/strict";
import { progressIn } from "../../../engine/restarts/progress.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { anchors } from "../trust/live.ts";
import { both, next, nextIssuer, now, old, RollingCluster } from "./rolling-cluster.ts";

const [newPrint = "", oldPrint = ""] = anchors(next, old).map(({ fingerprint }) => fingerprint);
const args = { linkerdNamespace: "linkerd", leaving: [oldPrint], ignored: ["west/batch"] };

function progressOf(west: RollingCluster, at = now) {
  const clusters = new SimulatedClusters({ west: west.server });
  return clusters
    .client("west", { context: "west" })
    .then((client) => progressIn(client, args, at));
}

describe("the progress of a rotation in a cluster", () => {
  it("counts pods whose proxies need no restart", async () => {
    const west = new RollingCluster("west")
      .add("linkerd/linkerd-identity", { trusts: both, replicas: 1 })
      .add("shop/web", { trusts: both })
      .add("shop/api", { replicas: 3 })
      .add("batch/job");
    const before = {
      anchors: [newPrint, oldPrint],
      issuer: [oldPrint],
      controlPlane: { current: 1, all: 1 },
      proxies: { current: 2, all: 5 },
    };
    deepEqual(await progressOf(west), before);
    west.issue(nextIssuer, new Date(now.getTime() - 3_600_000));
    west.add("shop/new", { trusts: both, createdAt: now });
    deepEqual(await progressOf(west), {
      ...before,
      issuer: [newPrint],
      controlPlane: { current: 0, all: 1 },
      proxies: { current: 2, all: 7 },
    });
  });

  it("has nothing to say of a cluster without Linkerd", async () => {
    const west = new RollingCluster("west");
    west.server.delete("configmaps", "linkerd/linkerd-identity-trust-roots");
    equal(await progressOf(west), undefined);
  });
});
