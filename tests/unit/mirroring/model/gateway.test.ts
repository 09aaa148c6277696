import assert from "node:assert/strict";
import { gatewayProbe } from "../../../../engine/mirroring/model/gateway-probe.ts";
import { gatewayFacts } from "../../../../engine/mirroring/model/gateway.ts";
import type { GatewaySource } from "../../../../engine/mirroring/model/link.ts";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";

const place = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };
const where = "west/linkerd-multicluster/linkerd-gateway";

function gateway({
  annotations,
  spec,
  ingress,
}: {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<Service["spec"]>;
  readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
} = {}): Service {
  return {
    metadata: {
      ...place,
      annotations: {
        "mirror.linkerd.io/gateway-identity": "gateway.west",
        "mirror.linkerd.io/probe-path": "/ready",
        "mirror.linkerd.io/probe-period": "3",
        ...annotations,
      },
    },
    spec: {
      type: "LoadBalancer",
      ports: [
        { name: "mc-gateway", port: 4143, nodePort: 30143 },
        { name: "mc-probe", port: 4191, nodePort: 30191 },
      ],
      ...spec,
    },
    status: { loadBalancer: { ingress: ingress ?? [{ ip: "192.0.2.7" }] } },
  };
}

const read = (service: Service | undefined, said: Partial<GatewaySource> = {}) =>
  gatewayFacts({ ...place, ...said }, service, where);

function facts(service: Service | undefined, said: Partial<GatewaySource> = {}) {
  const answer = read(service, said);
  assert("facts" in answer, JSON.stringify(answer));
  return answer.facts;
}

function missing(service: Service | undefined, said: Partial<GatewaySource> = {}) {
  const answer = read(service, said);
  assert("missing" in answer, JSON.stringify(answer));
  return answer;
}

describe("a Link's gateway", () => {
  it("is the gateway Service", () => {
    assert.deepEqual(facts(gateway()), {
      addresses: ["192.0.2.7"],
      port: 4143,
      identity: "gateway.west",
    });
  });

  it("has the IP of each ingress point, else its hostname, in their order and not resolved", () => {
    const ingress = [{ hostname: "b.example" }, {}, { ip: "192.0.2.9", hostname: "a" }, { ip: "" }];
    assert.deepEqual(facts(gateway({ ingress })).addresses, ["b.example", "192.0.2.9"]);
  });

  it("is what the link says wherever it says something", () => {
    const said = { addresses: ["gw.example"], port: 9, identity: "me" };
    assert.deepEqual(facts(gateway(), said), said);
  });

  it("needs no gateway Service where the link says everything", () => {
    const said = { addresses: ["gw.example"], port: 9, identity: "me" };
    assert.deepEqual(facts(undefined, said), said);
  });

  it("is reached by the ports of the node where it is a NodePort", () => {
    const nodePort = gateway({ spec: { type: "NodePort" } });
    assert.equal(facts(nodePort, { addresses: ["192.0.2.1"] }).port, 30143);
  });

  it("only waits for a load balancer's address", () => {
    assert.deepEqual(missing(gateway({ ingress: [] })), {
      missing: `the gateway Service ${where} has no external address yet: check that its cluster can provide load balancers (kubectl describe shows why there is none), or set gateway.addresses on the link`,
      soon: true,
    });
    const { missing: why, soon } = missing(gateway({ ingress: [], spec: { type: "ClusterIP" } }));
    assert.match(why, /is of type ClusterIP and so has no address of its own/);
    assert.equal(soon, false);
    const portless = missing(gateway({ ingress: [], spec: { ports: [] } }));
    assert.equal(portless.soon, false);
    assert.match(portless.missing, /no external address yet.*; .* no port named mc-gateway/);
  });

  it("says what else is missing", () => {
    assert.match(
      missing(undefined).missing,
      /there is no gateway Service west\/linkerd-multicluster/,
    );
    assert.match(missing(gateway({ spec: { ports: [] } })).missing, /no port named mc-gateway/);
    const anonymous = gateway({ annotations: { "mirror.linkerd.io/gateway-identity": "" } });
    assert.match(missing(anonymous).missing, /no annotation mirror.linkerd.io\/gateway-identity/);
  });
});

describe("a gateway's probe", () => {
  const period = (said: string) =>
    gatewayProbe(gateway({ annotations: { "mirror.linkerd.io/probe-period": said } }), where);

  it("is what the gateway Service offers", () => {
    const probe = { path: "/ready", port: 4191, period: "3s" };
    assert.deepEqual(gatewayProbe(gateway(), where), { probe });
    const nodePort = gatewayProbe(gateway({ spec: { type: "NodePort" } }), where);
    assert.deepEqual(nodePort, { probe: { ...probe, port: 30191 } });
  });

  it("is none without its path, its port or the Service", () => {
    const unpathed = gateway({ annotations: { "mirror.linkerd.io/probe-path": "" } });
    const unported = gateway({ spec: { ports: [{ name: "mc-gateway", port: 1 }] } });
    for (const service of [unpathed, unported, undefined])
      assert.equal(gatewayProbe(service, where), undefined);
  });

  const cases = {
    "3": "3s",
    "0": "0s",
    "120": "2m0s",
    "3725": "1h2m5s",
    "1h30m": "1h30m",
    "500ms": "500ms",
  };
  for (const [said, meant] of Object.entries(cases))
    it(`has period ${meant} where the Service says ${said}`, () => {
      assert.deepEqual(period(said), { probe: { path: "/ready", port: 4191, period: meant } });
    });
  for (const said of ["", "-3s", "3d", "3s4", "soon"])
    it(`cannot have period ${JSON.stringify(said)}`, () => {
      assert.deepEqual(period(said), {
        mistake: `the gateway Service ${where} has annotation mirror.linkerd.io/probe-period: ${JSON.stringify(said)}, which must be seconds or a Go duration, as 3 or 3s`,
      });
    });
});
