import { deepEqual } from "node:assert/strict";
import {
  gatewayPorts,
  mirroredPorts,
} from "../../../../engine/mirroring/decide/mirrors/service-mirrors.ts";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { http, service } from "../../fixtures/objects.ts";

type Ports = NonNullable<Service["spec"]["ports"]>;
const many = Array.from({ length: 120 }, (_, n) => ({ ...http, name: `p${n}`, port: n + 1 }));

const rows: [rule: string, ports: Ports][] = [
  ["keeps name, protocol, port and targetPort", [http]],
  ["may have nothing but a number", [{ port: 80 }]],
  ["may have no name", [{ protocol: "TCP", port: 80, targetPort: 80 }]],
  ["may have the name of a pod's port as targetPort", [{ ...http, targetPort: "web" }]],
  ["is mirrored whatever its protocol", [{ name: "sctp", protocol: "SCTP", port: 7 }]],
  ["keeps what it says its bytes are", [{ port: 25, appProtocol: "linkerd.io/opaque" }]],
  ["may be one of many, in their order", many],
  [
    "may have the number of another with another protocol",
    [
      { name: "dns", protocol: "UDP", port: 53, targetPort: 53 },
      { name: "dns-tcp", protocol: "TCP", port: 53, targetPort: 53 },
    ],
  ],
];

describe("a port of an exported Service (linkerd-behaviour.md 2.8)", () => {
  for (const [rule, ports] of rows)
    it(`${rule}, and leads to the gateway's port under its own name and protocol`, () => {
      const web = service("shop/web", {}, { ports });
      deepEqual(mirroredPorts(web), ports);
      const toGateway = ports.map(({ targetPort: _, appProtocol: __, ...port }) => port);
      deepEqual(
        gatewayPorts(web, 4143),
        toGateway.map((port) => ({ ...port, port: 4143 })),
      );
    });

  it("leaves nodePort behind", () => {
    const ports = [{ ...http, nodePort: 30080 }];
    deepEqual(mirroredPorts(service("shop/web", {}, { ports })), [http]);
  });
});
