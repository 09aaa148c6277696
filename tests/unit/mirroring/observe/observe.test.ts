import { deepEqual, rejects } from "node:assert/strict";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, service } from "../../fixtures/objects.ts";

describe("observing a cluster", () => {
  const memory = () => new MemoryCluster(cluster("west", { services: [service("shop/web")] }));

  it("finds its objects by their keys, and who it is", async () => {
    const { identity, services } = await memory().snapshot();
    deepEqual([identity, ...services.keys()], ["uid-of-west", "default/kubernetes", "shop/web"]);
  });

  for (const [what, plural, key] of [
    ["Service default/kubernetes", "services", "default/kubernetes"],
    ["namespace kube-system", "namespaces", "kube-system"],
  ] as const)
    it(`does not believe lists without the ${what} that every cluster has`, async () => {
      const west = memory();
      west.delete(plural, key);
      await rejects(west.snapshot(), {
        message: `cluster west lists no ${what}, so its answers cannot be trusted: see whether the context points at a whole cluster`,
      });
    });
});
