import { deepEqual } from "node:assert/strict";
import type { GateInputs } from "../../../engine/admitting/args.ts";
import { gates } from "../../../engine/providers/gates.ts";
import { clusters } from "../../../engine/providers/process.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { exported } from "../fixtures/objects.ts";
import { Gateway } from "./gateway.ts";

function serve({ server }: Gateway): void {
  const simulated = new SimulatedClusters({ west: server, western: server });
  Object.assign(clusters, {
    snapshot: simulated.snapshot.bind(simulated),
    client: simulated.client.bind(simulated),
  });
}

const secret = "secret.shop.svc.cluster.local";

describe("a closed gateway whose cluster gets another name in the config", () => {
  after(() => {
    for (const method of ["snapshot", "client"]) Reflect.deleteProperty(clusters, method);
  });

  it("stays closed when the resource with the old name goes", async () => {
    const gateway = new Gateway(exported("shop/web"));
    await gateway.up();
    serve(gateway);
    const old: GateInputs = await gateway.check("take");
    const western = { western: { context: "west" } };
    await gates.check({}, { ...gateway.args, phase: "take", target: "western", clusters: western });
    await gates.delete("west/take", old);
    deepEqual(gateway.admits(secret), []);
  });

  it("stays closed when resources go whose cluster was away under that name", async () => {
    const gateway = new Gateway(exported("shop/web"));
    await gateway.up();
    gateway.server.refuse = () => "unreachable";
    const { identity: _, ...unread } = await gateway.check("take");
    gateway.server.refuse = () => undefined;
    serve(gateway);
    await gates.delete("west/take", unread);
    deepEqual(gateway.admits(secret), []);
  });
});
