import { deepEqual, rejects } from "node:assert/strict";
import { observe } from "../../../engine/reading/snapshot.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { serverWith } from "../../simulation/contents.ts";
import { cluster, service } from "../fixtures/objects.ts";

describe("a snapshot of a cluster", () => {
  const memory = () => serverWith(cluster("west", { services: [service("shop/web")] }));

  const read = async (server: ApiServer) => observe(await server.client(), server.name);

  it("has the objects by key, and the cluster's identity", async () => {
    const { identity, services } = await read(memory());
    deepEqual([identity, ...services.keys()], ["uid-of-west", "default/kubernetes", "shop/web"]);
  });

  for (const [what, plural, key] of [
    ["Service default/kubernetes", "services", "default/kubernetes"],
    ["namespace kube-system", "namespaces", "kube-system"],
  ] as const)
    it(`is refused without the ${what}, which every cluster has`, async () => {
      const west = memory();
      west.delete(plural, key);
      await rejects(read(west), {
        message: `cluster west lists no ${what}, so its answers cannot be trusted: check that its context points to a whole cluster`,
      });
    });
});
