import assert from "node:assert/strict";
import {
  gatewayPorts,
  mirroredPorts,
} from "../../../../engine/mirroring/decide/mirrors/service-mirrors.ts";
import type {
  EndpointPort,
  Service,
  ServicePort,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { service } from "../../fixtures/objects.ts";

type Ports = NonNullable<Service["spec"]["ports"]>;

const http: ServicePort = { name: "http", protocol: "TCP", port: 80, targetPort: 8080 };
const dnsPorts = [
  { name: "dns", protocol: "UDP", port: 53, targetPort: 53 },
  { name: "dns-tcp", protocol: "TCP", port: 53, targetPort: 53 },
];
const fromKubernetes: unknown = { ...http, nodePort: 30080, appProtocol: "kubernetes.io/h2c" };
const many = Array.from({ length: 120 }, (_, index) => ({
  ...http,
  name: `p${index}`,
  port: index + 1,
}));

const rows: [rule: string, ports: Ports, mirrored: ServicePort[], toGateway: EndpointPort[]][] = [
  [
    "keeps name, protocol, port and targetPort, and leads to the gateway's port",
    [http],
    [http],
    [{ name: "http", protocol: "TCP", port: 4143 }],
  ],
  [
    "leaves nodePort behind",
    [fromKubernetes as ServicePort],
    [{ ...http, appProtocol: "kubernetes.io/h2c" }],
    [{ name: "http", protocol: "TCP", port: 4143 }],
  ],
  [
    "may have no name",
    [{ protocol: "TCP", port: 80, targetPort: 80 }],
    [{ protocol: "TCP", port: 80, targetPort: 80 }],
    [{ protocol: "TCP", port: 4143 }],
  ],
  ["may have nothing but a number", [{ port: 80 }], [{ port: 80 }], [{ port: 4143 }]],
  [
    "may have the name of a pod's port as targetPort",
    [{ ...http, targetPort: "web" }],
    [{ ...http, targetPort: "web" }],
    [{ name: "http", protocol: "TCP", port: 4143 }],
  ],
  [
    "may have the number of another with another protocol",
    dnsPorts,
    dnsPorts,
    [
      { name: "dns", protocol: "UDP", port: 4143 },
      { name: "dns-tcp", protocol: "TCP", port: 4143 },
    ],
  ],
  [
    "is mirrored whatever its protocol",
    [{ name: "sctp", protocol: "SCTP", port: 7 }],
    [{ name: "sctp", protocol: "SCTP", port: 7 }],
    [{ name: "sctp", protocol: "SCTP", port: 4143 }],
  ],
  [
    "keeps what it says its bytes are, which Linkerd's proxies go by",
    [{ port: 25, appProtocol: "linkerd.io/opaque" }],
    [{ port: 25, appProtocol: "linkerd.io/opaque" }],
    [{ port: 4143 }],
  ],
  [
    "may be one of many, in their order",
    many,
    many,
    many.map(({ name }) => ({ name, protocol: "TCP", port: 4143 })),
  ],
];

describe("a port of an exported Service (linkerd-behaviour.md 2.8)", () => {
  for (const [rule, ports, mirrored, toGateway] of rows)
    it(rule, () => {
      const web = service("shop/web", {}, { ports });
      assert.deepEqual(mirroredPorts(web), mirrored);
      assert.deepEqual(gatewayPorts(web, 4143), toGateway);
    });
});
