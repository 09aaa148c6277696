import { deepEqual } from "node:assert/strict";
import { check, argsFor } from "../../fixtures/checked.ts";
import { clusterOf } from "../../fixtures/scenario-text.ts";
import { testScenarios } from "../../fixtures/scenario.ts";

const gateway =
  "linkerd-multicluster/ linkerd-multicluster/linkerd-gateway(plain :mc-probe @mirror.linkerd.io/probe-path=/ready @mirror.linkerd.io/probe-period=3)";
const settings =
  'gateway: { namespace: linkerd-multicluster, name: linkerd-gateway, addresses: ["192.0.2.7"], port: 4143, identity: gateway.west }';
const created = `east: linkerd-multicluster/ shop/
config: { statusIn: linkerd-multicluster }
link west: { prober: mesh-watch:1, ${settings} }
west: ${gateway} shop/web
+ probe linkerd-multicluster/ping-west, gateway shop/web-west
`;
const of = "mirror.linkerd.io/mirrored-gateway=true mirror.linkerd.io/cluster-name=west";
const ping = "linkerd-multicluster/ping-west";

describe("the probe of a gateway, with prober on the link", () => {
  testScenarios(`
# is one of the link's mirrors, and a preview shows it
${created}= ${ping}: gateway probe of linkerd-gateway: mc-probe 4191/TCP
again
none
# is repaired like any mirror
${created}edit ${ping}: { spec: { selector: { app: mine } } }
~ probe ${ping}
edit ${ping}: gone
+ probe ${ping}
edit ${ping}: without Endpoints
~ probe ${ping}
# goes with the setting
${created}link west: { ${settings} }
- probe ${ping}
# goes with its link
${created}unlink west
- probe ${ping}, gateway shop/web-west
# goes even where Linkerd's controller takes over the link's mirrors, whose chart brings another one
${created}config: { controllerLinks: [west] }; unlink west
- probe ${ping}
/ gateway shop/web-west
# follows the target's port
${created}west: ${gateway.replace(":mc-probe", ":80")} shop/web
! NoGateway linkerd-multicluster/linkerd-gateway
west: ${gateway.replace("/ready", "ready")} shop/web
! NoGateway linkerd-multicluster/linkerd-gateway
# stays as it is while the target isn't read
${created}west: unreachable
none
# is left alone if it belongs to somebody else
east: linkerd-multicluster/ shop/ ${ping}(plain)
config: { statusIn: linkerd-multicluster }
link west: { prober: mesh-watch:1, ${settings} }
west: ${gateway}
! NotOurs linkerd-multicluster/linkerd-gateway
# is another stack's if that has marked it
${created}edit ${ping}: by acme/other/prod
link west: { ${settings} }
/ probe ${ping}
# is not the one of Linkerd's chart
${created}east: linkerd-multicluster/probe-west(plain ${of})
none
# goes like any mirror that nobody wants where somebody has forged one
${created}east: shop/ping-west(plain ${of} mirror.linkerd.io/mirrored-service=false)
- probe shop/ping-west
# isn't there on a flat network, or where nobody knows the extension's namespace
east: shop/
link west: { prober: mesh-watch:1, gateway: false }
west: shop/web(flat)
+ discovery shop/web-west
link west: { prober: mesh-watch:1, ${settings} }
west: ${gateway} shop/web(flat)
none
`);

  it("has what Linkerd's tools look for, and no label of a mirror", async () => {
    const link = {
      target: "west",
      prober: "mesh-watch:1",
      gateway: {
        namespace: "linkerd-multicluster",
        name: "linkerd-gateway",
        addresses: ["192.0.2.7"],
        port: 4143,
        identity: "gateway.west",
      },
    };
    const { outcome } = await check({
      args: argsFor([link], { statusIn: "linkerd-multicluster" }),
      clusters: { west: clusterOf("west", gateway), east: clusterOf("east", "nothing") },
    });
    const wanted = outcome.outcome === "planned" ? outcome.decided.decisions[0] : undefined;
    const labels = {
      "linkerd.io/extension": "multicluster",
      "mirror.linkerd.io/cluster-name": "west",
      "mirror.linkerd.io/mirrored-gateway": "true",
      "mirror.linkerd.io/mirrored-service": "false",
    };
    const ports = [{ name: "mc-probe", port: 4191, protocol: "TCP" }];
    deepEqual(wanted !== undefined && "wanted" in wanted && wanted.wanted, {
      kind: "probe",
      namespace: "linkerd-multicluster",
      name: "ping-west",
      origin: "linkerd-multicluster/linkerd-gateway",
      labels,
      annotations: {
        "mirror.linkerd.io/remote-svc-fq-name":
          "linkerd-gateway.linkerd-multicluster.svc.cluster.local",
      },
      ports,
      endpoints: {
        labels,
        annotations: { "mirror.linkerd.io/remote-gateway-identity": "gateway.west" },
        subsets: [{ addresses: [{ ip: "192.0.2.7" }], ports }],
      },
    });
  });
});
