import assert from "node:assert/strict";

import { inNamespace } from "../../e2e/access-clusters.ts";
import type { Mesh } from "../traffic/mesh.ts";
import { namespace } from "../traffic/workloads.ts";
import { askMysql, askRpc, assertAllAnswered } from "./asking.ts";
import { config } from "./config.ts";
import { untilMembers } from "./etcd.ts";
import { otherPorts } from "./workloads.ts";

/** Tests what passes beside closed gateways. Each test continues from the one before. */
export function testClosedGateways(theMesh: () => Mesh): void {
  it("closed gateways refuse opaque ports, which the run says, and let HTTP and gRPC pass", async () => {
    const { stack } = theMesh();
    await stack.configure(config({ targets: { gatewayAccess: "exported" } }));
    const { code, text } = await stack.run(["up", "--yes", "--skip-preview"]);
    assert.notEqual(code, 0);
    assert.match(text, /opaque/);
    for (const service of ["mysql-west", "mysql-0.mysql-pods-west"]) {
      const begun = Date.now();
      const { failed, pods } = await askMysql(theMesh(), service, { times: 5 });
      console.log(`      ${((Date.now() - begun) / 5_000).toFixed(1)} s for each connection`);
      assert.deepEqual(pods, {});
      assert.equal(failed.length, 5);
      console.log(`      ${service}: ${failed[0] ?? ""}`);
    }
    for (const kind of ["unary", "stream", "balance"] as const) {
      const name = kind === "balance" ? "rpc-pods-west" : "rpc-west";
      assert.deepEqual((await askRpc(theMesh(), kind, name)).failed, []);
    }
    await untilMembers(theMesh(), 4);
  });

  it("beside closed gateways, opaque ports pass from pod to pod", async () => {
    const { bed, up } = theMesh();
    const labels = { "mirror.linkerd.io/exported": null };
    const unlabel = async (cluster: "west" | "north", services: readonly string[]) => {
      for (const name of services) {
        const path = inNamespace(namespace, `services/${name}`);
        const { code } = await bed.clusters[cluster].request("PATCH", path, {
          metadata: { labels },
        });
        assert.equal(code, 200);
      }
    };
    await unlabel("west", ["mysql", "mysql-pods", ...Object.keys(otherPorts)]);
    await unlabel("north", ["mysql-pods"]);
    await up();
    assertAllAnswered(await askMysql(theMesh(), "mysql-north"), "2/mysql-0", "2/mysql-1");
    const all = ["1/mysql-0", "1/mysql-1", "2/mysql-0", "2/mysql-1"];
    assertAllAnswered(await askMysql(theMesh(), "mysql-federated"), ...all);
  });
}
