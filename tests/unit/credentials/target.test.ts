import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { readTarget } from "../../../engine/credentials/target.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type { Resource } from "../../../engine/kubernetes/objects/resources.ts";
import { UserError } from "../../../engine/base/user-error.ts";
import { gatewayService } from "../fixtures/objects.ts";
import { withFolder, writeKubeconfig } from "../kubernetes/scripted-cluster.ts";
import { args } from "./target.ts";

const named = "lb.example.com";
const balancer = {
  ...gatewayService("west"),
  status: { loadBalancer: { ingress: [{ hostname: named }] } },
};
const found: Readonly<Record<string, object>> = {
  ConfigMap: { data: { values: "clusterDomain: cluster.local\n" } },
  Service: balancer,
};
const west = {
  cluster: "west",
  find: ({ kind }: Resource<unknown>) => Promise.resolve(found[kind]),
  list: () => Promise.resolve([]),
} as unknown as Kubernetes;

describe("reading a link's target", () => {
  it("says why none of its gateway's names resolves", async () => {
    await withFolder(async (folder) => {
      const kubeconfig = join(folder, "config");
      const server = "https://west.example.com";
      await writeKubeconfig(kubeconfig, "k3d-west", { cluster: { server }, user: {} });
      const read = async (addresses: readonly string[]) => {
        const reading = await readTarget(
          { ...args, access: { context: "k3d-west", kubeconfig } },
          undefined,
          {
            client: () => Promise.resolve(west),
            source: () => Promise.resolve(west),
            lookup: {
              resolve: () =>
                addresses.length === 0
                  ? Promise.reject(new UserError("not there"))
                  : Promise.resolve(addresses),
              own: () => Promise.resolve(undefined),
            },
            now: () => new Date(),
          },
        );
        return "value" in reading ? reading.value : { unresolved: reading.why };
      };
      const lost = await read([]);
      match(lost.unresolved ?? "", /lb.example.com: not there/);
      deepEqual("facts" in lost ? lost.facts.gateway?.addresses : [], [named]);
      equal((await read(["192.0.2.7"])).unresolved, undefined);
    });
  });
});
