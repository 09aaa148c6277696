import { deepEqual } from "node:assert/strict";
import { controllersIn } from "../../../../engine/mirroring/observe/controllers.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster } from "../../fixtures/objects.ts";
import { controller } from "../../fixtures/world.ts";

describe("Linkerd's controllers in a cluster", () => {
  it("are told with their target, and with how many pods they are to have and have", async () => {
    const ready = { ...controller("north", 2), status: { readyReplicas: 1 } };
    const memory = new MemoryCluster(cluster("east"), {
      deployments: [controller("west"), ready],
    });
    const namespace = "linkerd-multicluster";
    deepEqual(await controllersIn(memory), [
      { namespace, name: "controller-west", target: "west", replicas: 1, ready: 0 },
      { namespace, name: "controller-north", target: "north", replicas: 2, ready: 1 },
    ]);
  });
});
