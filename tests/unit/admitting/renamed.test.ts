import { deepEqual } from "node:assert/strict";
import type { GateInputs } from "../../../engine/admitting/args.ts";
import { gates } from "../../../engine/providers/gates.ts";
import { clusters } from "../../../engine/providers/process.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { exported } from "../fixtures/objects.ts";
import { Gateway } from "./gateway.ts";

const secret = "secret.shop.svc.cluster.local";

describe("a closed gateway whose cluster gets another name in the config", () => {
  after(() => {
    for (const method of ["snapshot", "client"]) Reflect.deleteProperty(clusters, method);
  });

  it("stays closed when the resource with the old name goes", async () => {
    const gateway = new Gateway(exported("shop/web"));
    await gateway.up();
    const simulated = new SimulatedClusters({ west: gateway.server, western: gateway.server });
    Object.assign(clusters, {
      snapshot: simulated.snapshot.bind(simulated),
      client: simulated.client.bind(simulated),
    });
    const old: GateInputs = await gateway.check("take");
    const western = { western: { context: "west" } };
    await gates.check({}, { ...gateway.args, phase: "take", target: "western", clusters: western });
    await gates.delete("west/take", old);
    deepEqual(gateway.admits(secret), []);
  });
});
