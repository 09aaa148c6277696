import { deepEqual, equal, ok } from "node:assert/strict";
import type { GatewayReading } from "../../../../engine/mirroring/model/gateway.ts";
import type { GatewaySource } from "../../../../engine/mirroring/model/link.ts";
import type {
  LoadBalancerIngress,
  Service,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { readGateway } from "../../../../engine/mirroring/observe/gateway.ts";
import { link } from "../../fixtures/link.ts";
import { cluster, service } from "../../fixtures/objects.ts";
import { expectFacts } from "../../fixtures/settled.ts";

const identity = { "mirror.linkerd.io/gateway-identity": "gateway.west" };
const at = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };
const where = "west/linkerd-multicluster/linkerd-gateway";

interface Parts {
  readonly ingress?: readonly LoadBalancerIngress[];
  readonly spec?: Partial<Service["spec"]>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function gatewayService(parts: Parts = {}): Service {
  const { ingress = [{ ip: "192.0.2.1" }], spec = {}, annotations = identity } = parts;
  return {
    ...service(
      "linkerd-multicluster/linkerd-gateway",
      { annotations },
      {
        type: "LoadBalancer",
        ports: [
          { name: "mc-probe", port: 4191, nodePort: 30191 },
          { name: "mc-gateway", port: 4143, nodePort: 30143 },
        ],
        ...spec,
      },
    ),
    status: { loadBalancer: { ingress } },
  };
}

/** What DNS says; any other name does not exist. */
const zone: Readonly<Record<string, readonly string[]>> = {
  "gw.example": ["192.0.2.30", "192.0.2.4", "2001:db8::1"],
  "gw2.example": ["192.0.2.30"],
};

async function resolve(hostname: string): Promise<readonly string[]> {
  await Promise.resolve();
  const addresses = zone[hostname.replace(/\.$/, "")];
  if (addresses === undefined) throw new Error(`ENOTFOUND ${hostname}`);
  return addresses;
}

function read(gateway: Partial<GatewaySource> | false, live?: Service): Promise<GatewayReading> {
  const said = gateway === false ? gateway : { ...at, ...gateway };
  return readGateway(link({ gateway: said }), west(live), undefined, resolve);
}

function west(live?: Service) {
  return cluster("west", { services: live === undefined ? [] : [live] });
}

describe("the gateway of a target (linkerd-behaviour.md 1.6, 2.9)", () => {
  const known: [
    rule: string,
    said: Partial<GatewaySource>,
    live: Service | undefined,
    text: string,
    warnings?: string[],
  ][] = [
    ["is where its Service says", {}, gatewayService(), "192.0.2.1 port 4143, gateway.west"],
    [
      "has all of the load balancer's addresses, sorted as strings, each once",
      {},
      gatewayService({
        ingress: ["192.0.2.4", "192.0.2.30", "192.0.2.200", "192.0.2.4"].map((ip) => ({ ip })),
      }),
      "192.0.2.200 192.0.2.30 192.0.2.4 port 4143, gateway.west",
    ],
    [
      "has the load balancer's hostnames resolved",
      {},
      gatewayService({ ingress: [{ hostname: "gw.example" }] }),
      "192.0.2.30 192.0.2.4 2001:db8::1 port 4143, gateway.west",
    ],
    [
      "has an address that two hostnames share once",
      {},
      gatewayService({ ingress: [{ hostname: "gw2.example" }, { ip: "192.0.2.30" }] }),
      "192.0.2.30 port 4143, gateway.west",
    ],
    [
      "has the addresses that the link says, whatever the Service says",
      { addresses: ["192.0.2.9", "gw2.example"] },
      gatewayService(),
      "192.0.2.30 192.0.2.9 port 4143, gateway.west",
    ],
    [
      "has the Service's addresses where the link's list is empty",
      { addresses: [] },
      gatewayService(),
      "192.0.2.1 port 4143, gateway.west",
    ],
    [
      "may have no identity, where the link says so",
      { identity: "" },
      gatewayService(),
      "192.0.2.1 port 4143, ",
    ],
    [
      "goes without a hostname that does not resolve, while another address is there",
      { addresses: ["nowhere.example", "192.0.2.9"] },
      gatewayService(),
      "192.0.2.9 port 4143, gateway.west",
      [
        "one address of the gateway of west is left out: nowhere.example: ENOTFOUND nowhere.example",
      ],
    ],
  ];
  for (const [rule, said, live, text, warnings = []] of known)
    it(rule, async () => {
      const reading = await read(said, live);
      ok(reading.known);
      const { addresses, port, identity } = reading.gateway;
      equal(`${addresses.join(" ")} port ${port}, ${identity}`, text);
      deepEqual(reading.warnings, warnings);
    });

  it("is what a whole name resolves to, and not one that a search domain completes", async () => {
    const asked: string[] = [];
    const ask = (name: string) => {
      asked.push(name);
      return Promise.resolve(["192.0.2.1"]);
    };
    const target = west(gatewayService({ ingress: [{ hostname: "gw.example" }] }));
    for (const addresses of [[], ["gw"]])
      await readGateway(link({ gateway: { ...at, addresses } }), target, undefined, ask);
    deepEqual(asked, ["gw.example.", "gw"]);
  });

  const resolved: [rule: string, ips: string[], pinned: string[], expected: RegExp][] = [
    ...["127.0.0.1", "169.254.169.254", "10.0.0.7"].map((ip): (typeof resolved)[number] => [
      `is none where its hostname resolves to what is local to the source (${ip})`,
      [ip],
      [],
      /announces no address that may be used/,
    ]),
    [
      "is what is left of what its hostname resolves to, with a warning",
      ["10.0.0.7", "192.0.2.1"],
      [],
      /"addresses":\["192\.0\.2\.1"\].*west is left out: 10\.0\.0\.7 is a ClusterIP of the source/,
    ],
    [
      "is whatever a name resolves to that the config says",
      ["127.0.0.1"],
      ["gw.example"],
      /"addresses":\["127\.0\.0\.1"\]/,
    ],
  ];
  for (const [rule, ips, addresses, expected] of resolved)
    it(rule, async () => {
      const own = service("shop/web", {}, { clusterIP: "10.0.0.7" });
      const target = west(gatewayService({ ingress: [{ hostname: "gw.example" }] }));
      const reading = await readGateway(
        link({ gateway: { ...at, addresses } }),
        target,
        cluster("east", { services: [own] }),
        () => Promise.resolve(ips),
      );
      expectFacts({ reading }, { reading: expected });
    });

  const unknown: [
    rule: string,
    said: Partial<GatewaySource> | false,
    Service | undefined,
    string,
  ][] = [
    [
      "the link has none",
      false,
      gatewayService(),
      "link east/west has no gateway (gateway: false): label the Service mirror.linkerd.io/exported=remote-discovery instead, or give the link a gateway",
    ],
    [
      "there is no Service",
      {},
      undefined,
      `there is no gateway Service ${where}: install Linkerd's gateway there, or set gateway.addresses, gateway.port, gateway.identity on the link`,
    ],
    [
      "there is no Service for what the link does not say",
      { addresses: ["192.0.2.9"], identity: "" },
      undefined,
      `there is no gateway Service ${where}: install Linkerd's gateway there, or set gateway.port on the link`,
    ],
    [
      "the load balancer has no address yet",
      {},
      gatewayService({ ingress: [] }),
      `the gateway Service ${where} has no external address yet: check that its cluster can provide load balancers (kubectl describe shows why there is none), or set gateway.addresses on the link`,
    ],
    [
      "the Service is of a type without addresses",
      {},
      gatewayService({ ingress: [], spec: { type: "NodePort" } }),
      `the gateway Service ${where} is of type NodePort and so has no address of its own: set gateway.addresses on the link`,
    ],
    [
      "the Service has no gateway port",
      {},
      gatewayService({ spec: { ports: [{ name: "mc-probe", port: 4191 }] } }),
      `the gateway Service ${where} has no port named mc-gateway: set gateway.port on the link`,
    ],
    [
      "a NodePort Service has no node port",
      { addresses: ["192.0.2.9"] },
      gatewayService({ spec: { type: "NodePort", ports: [{ name: "mc-gateway", port: 4143 }] } }),
      `the gateway Service ${where} has no port named mc-gateway: set gateway.port on the link`,
    ],
    [
      "the Service has no identity",
      {},
      gatewayService({ annotations: {} }),
      `the gateway Service ${where} has no annotation mirror.linkerd.io/gateway-identity: set gateway.identity on the link`,
    ],
    [
      "the Service's identity is empty",
      {},
      gatewayService({ annotations: { "mirror.linkerd.io/gateway-identity": "" } }),
      `the gateway Service ${where} has no annotation mirror.linkerd.io/gateway-identity: set gateway.identity on the link`,
    ],
    [
      "several things are missing, and all are told",
      {},
      gatewayService({ ingress: [], spec: { ports: [] }, annotations: {} }),
      `the gateway Service ${where} has no external address yet: check that its cluster can provide load balancers (kubectl describe shows why there is none), or set gateway.addresses on the link; ` +
        `the gateway Service ${where} has no port named mc-gateway: set gateway.port on the link; ` +
        `the gateway Service ${where} has no annotation mirror.linkerd.io/gateway-identity: set gateway.identity on the link`,
    ],
    [
      "none of its hostnames resolves",
      { addresses: ["a.example", "b.example"] },
      gatewayService(),
      "the gateway of west does not resolve (a.example: ENOTFOUND a.example; b.example: ENOTFOUND b.example)",
    ],
  ];
  for (const [rule, said, live, why] of unknown)
    it(`is not known where ${rule}`, async () => {
      deepEqual(await read(said, live), { known: false, why });
    });
});
