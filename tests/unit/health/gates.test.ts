import { deepEqual, equal } from "node:assert/strict";
import { observeGate } from "../../../engine/admitting/run.ts";
import { gatewayClosed } from "../../../engine/health/checks/gates.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { Gateway } from "../admitting/gateway.ts";
import { exported, service } from "../fixtures/objects.ts";
import { clusterView, said } from "./views.ts";

async function saidOf({ server, args }: Gateway): Promise<readonly string[]> {
  const gate = await observeGate(new SimulatedClusters({ west: server }), args);
  return said(gatewayClosed, clusterView({ cluster: "west", gate }));
}

const differs =
  "error: the policies of the closed gateway of west differ from what they should be. Fix: pulumi up";
const policy = "linkerd-multicluster/linkerd-gateway";

describe("health of a cluster: its gateway is closed", () => {
  it("passes after a run, and while mirrors may be left of what is no longer exported", async () => {
    const gateway = new Gateway(exported("shop/web"));
    await gateway.up();
    deepEqual(await saidOf(gateway), []);
    gateway.export(service("shop/web"));
    deepEqual(await saidOf(gateway), []);
  });

  it("warns if the chart's policy or Server is missing", async () => {
    const gateway = new Gateway(exported("shop/web"));
    await gateway.up();
    gateway.server.delete("authorizationpolicies", policy);
    gateway.server.delete("servers", policy);
    const missing = (what: string, effect: string) =>
      `warning: the chart's ${what} linkerd-gateway is missing in linkerd-multicluster on west, so the gateway ${effect}: apply the chart linkerd-multicluster again`;
    deepEqual(await saidOf(gateway), [
      missing("AuthorizationPolicy", "refuses everything else even once opened"),
      missing("Server", "admits every meshed client to everything"),
    ]);
    gateway.server.refuse = (line) => (line.startsWith("list servers") ? "forbidden" : undefined);
    equal((await saidOf(gateway)).length, 1);
  });

  it("finds a gateway that is open, policies that are missing, and others' that may open it", async () => {
    const gateway = new Gateway(exported("shop/web"));
    await gateway.up();
    const targetRef = { kind: "Server", name: "linkerd-gateway" };
    gateway.server.edit("authorizationpolicies", policy, { spec: { targetRef } });
    const [first = ""] = gateway.server.all("meshtlsauthentications").keys();
    gateway.server.delete("meshtlsauthentications", first);
    const metadata = { name: "mine", namespace: "linkerd-multicluster" };
    gateway.server.put("authorizationpolicies", { metadata, spec: { targetRef } });
    deepEqual(await saidOf(gateway), [
      "error: the gateway of west is open, and forwards requests to what is not exported. Fix: pulumi up",
      differs,
      "warning: AuthorizationPolicy mine in linkerd-multicluster on west may admit others to the closed gateway: delete or change it if that isn't meant",
    ]);
  });
});
