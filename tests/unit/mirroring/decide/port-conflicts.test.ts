import { deepEqual } from "node:assert/strict";
import type { ServicePort } from "../../../../engine/kubernetes/objects/objects.ts";
import { federationOf } from "../../fixtures/federation.ts";
import { cluster, http, member } from "../../fixtures/objects.ts";

type Ports = readonly ServicePort[];
const withPorts = (name: string, ports: Ports) =>
  cluster(name, { services: [member("demo/bb", {}, { clusterIP: "10.0.0.1", ports })] });

function conflicts(east: Ports, north: Ports, west?: Ports) {
  const targets = { east: withPorts("east", east), north: withPorts("north", north) };
  return federationOf({ ...(west && { source: withPorts("west", west) }), targets }).conflicts;
}

const metrics: ServicePort = { name: "metrics", protocol: "TCP", port: 9090 };

describe("ports of members that differ", () => {
  it("are reported with both sides", () => {
    deepEqual(conflicts([http], [{ ...http, port: 81 }]), {
      "demo/bb":
        "its ports are those of east (http 80/TCP), and differ from http 81/TCP on north: give all members the same ports",
    });
  });

  it("are compared with the local member, whose ports the federated Service has", () => {
    deepEqual(conflicts([http], [http, metrics], [metrics]), {
      "demo/bb":
        "its ports are those of west (metrics 9090/TCP), and differ from http 80/TCP on east and http 80/TCP, metrics 9090/TCP on north: give all members the same ports",
    });
  });

  const rows: [what: string, one: Ports, other: Ports, differ: boolean][] = [
    ["the name", [http], [{ ...http, name: "web" }], true],
    ["the protocol", [http], [{ ...http, protocol: "UDP" }], true],
    ["the application protocol", [http], [{ ...http, appProtocol: "linkerd.io/opaque" }], true],
    ["their order", [http, metrics], [metrics, http], false],
    ["the protocol spelled out", [{ port: 80 }], [{ port: 80, protocol: "TCP" }], false],
    ["the pods' ports, which are each cluster's own", [http], [{ ...http, targetPort: 1 }], false],
    ["an empty name", [{ port: 80 }], [{ port: 80, name: "" }], false],
    ["those of a Service that cannot be a member", [http], [], false],
  ];
  for (const [what, one, other, differ] of rows)
    it(`${differ ? "differ" : "do not differ"} in ${what}`, () => {
      deepEqual(Object.keys(conflicts(one, other)), differ ? ["demo/bb"] : []);
    });
});
