import assert from "node:assert/strict";
import type { ServicePort } from "../../../../engine/kubernetes/objects/objects.ts";
import type { PortConflicts } from "../../../../engine/mirroring/decide/mirrors/members.ts";
import { federationOf, member } from "../../fixtures/federation.ts";
import { cluster, http } from "../../fixtures/objects.ts";

type Ports = readonly ServicePort[];

function withPorts(name: string, ports: Ports) {
  return cluster(name, { services: [member("demo/bb", {}, { clusterIP: "10.0.0.1", ports })] });
}

function conflicts(east: Ports, north: Ports, west?: Ports): PortConflicts {
  return federationOf({
    ...(west !== undefined && { source: withPorts("west", west) }),
    targets: { east: withPorts("east", east), north: withPorts("north", north) },
  }).conflicts;
}

const metrics: ServicePort = { name: "metrics", protocol: "TCP", port: 9090 };

describe("ports of members that differ", () => {
  it("are told with both sides", () => {
    assert.deepEqual(conflicts([http], [{ ...http, port: 81 }]), {
      "demo/bb":
        "its ports are those of east (http 80/TCP), and differ from http 81/TCP on north: give all members the same ports",
    });
  });

  it("are held against the local member, whose ports the federated Service has", () => {
    assert.deepEqual(conflicts([http], [http, metrics], [metrics]), {
      "demo/bb":
        "its ports are those of west (metrics 9090/TCP), and differ from http 80/TCP on east and http 80/TCP, metrics 9090/TCP on north: give all members the same ports",
    });
  });

  const differing: [what: string, one: Ports, other: Ports][] = [
    ["the name", [http], [{ ...http, name: "web" }]],
    ["the protocol", [http], [{ ...http, protocol: "UDP" }]],
    ["the application protocol", [http], [{ ...http, appProtocol: "linkerd.io/opaque" }]],
    ["a port more", [http], [http, metrics]],
  ];
  for (const [what, one, other] of differing)
    it(`differ in ${what}`, () => {
      assert.deepEqual(Object.keys(conflicts(one, other)), ["demo/bb"]);
    });

  const alike: [what: string, one: Ports, other: Ports][] = [
    ["their order", [http, metrics], [metrics, http]],
    ["the protocol that is spelled out", [{ port: 80 }], [{ port: 80, protocol: "TCP" }]],
    ["the pods' ports, which are each cluster's own", [http], [{ ...http, targetPort: 1 }]],
    ["an empty name", [{ port: 80 }], [{ port: 80, name: "" }]],
  ];
  for (const [what, one, other] of alike)
    it(`do not differ in ${what}`, () => {
      assert.deepEqual(conflicts(one, other), {});
    });

  it("are no matter of Services that cannot be members", () => {
    const targets = {
      east: withPorts("east", [http]),
      north: withPorts("north", []),
    };
    assert.deepEqual(federationOf({ targets }).conflicts, {});
  });
});
