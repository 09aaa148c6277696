import { deepEqual } from "node:assert/strict";
import { announcedFacts } from "../../../engine/gateway/facts.ts";
import type { GatewaySource } from "../../../engine/model/link.ts";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import { service } from "../fixtures/objects.ts";

const place = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };
const where = "west/linkerd-multicluster/linkerd-gateway";
const the = `the gateway Service ${where}`;
const annotation = "mirror.linkerd.io/gateway-identity";

function gateway(
  spec: Partial<Service["spec"]> = {},
  ingress: readonly { readonly ip?: string; readonly hostname?: string }[] = [{ ip: "192.0.2.7" }],
  identity = "gateway.west",
): Service {
  const ports = [
    { name: "mc-probe", port: 4191, nodePort: 30191 },
    { name: "mc-gateway", port: 4143, nodePort: 30143 },
  ];
  const meta = { annotations: { [annotation]: identity } };
  return {
    ...service(`${place.namespace}/${place.name}`, meta, { type: "LoadBalancer", ports, ...spec }),
    status: { loadBalancer: { ingress } },
  };
}

const factsOf = (service: Service | undefined, said: Partial<GatewaySource> = {}) =>
  announcedFacts({ ...place, ...said }, service, where);

describe("a Link's gateway", () => {
  const own = { addresses: ["192.0.2.7"], port: 4143, identity: "gateway.west" };
  const said = { addresses: ["gw.example"], port: 9, identity: "me" };
  const local = { addresses: ["127.0.0.1"] };
  const points = [{ hostname: "b.example" }, {}, { ip: "192.0.2.9", hostname: "a" }, { ip: "" }];
  const names = { ...own, addresses: ["b.example", "192.0.2.9"] };
  const rows: [rule: string, Service | undefined, Partial<GatewaySource>, facts: typeof own][] = [
    ["is the gateway Service", gateway(), {}, own],
    [
      "has each ingress point's IP, else its hostname, not resolved",
      gateway({}, points),
      {},
      names,
    ],
    ["is what the link says wherever it says something", gateway(), said, said],
    ["is the Service's where the link's list is empty", gateway(), { addresses: [] }, own],
    ["may have no identity", gateway(), { identity: "" }, { ...own, identity: "" }],
    ["may be anywhere that the link says", gateway(), local, { ...own, ...local }],
    ["needs no gateway Service where the link says everything", undefined, said, said],
    [
      "is reached by the ports of the node where it is a NodePort",
      gateway({ type: "NodePort" }),
      { addresses: ["192.0.2.1"] },
      { ...own, addresses: ["192.0.2.1"], port: 30143 },
    ],
  ];
  for (const [rule, service, said, facts] of rows)
    it(rule, () => {
      deepEqual(factsOf(service, said), { value: { facts, refused: [] } });
    });

  const noAddress = `${the} has no external address yet: check that its cluster can provide load balancers (kubectl describe shows why there is none), or set gateway.addresses on the link`;
  const noPort = `${the} has no port named mc-gateway: set gateway.port on the link`;
  const lacks: [what: string, Service | undefined, missing: string, soon?: boolean][] = [
    ["an address yet, which is about to come", gateway({}, []), noAddress, true],
    [
      "an address among the first 256 ingress points",
      gateway({}, [...Array.from({ length: 256 }, () => ({})), { ip: "192.0.2.7" }]),
      noAddress,
      true,
    ],
    ["an address and a port", gateway({ ports: [] }, []), `${noAddress}; ${noPort}`],
    [
      "an address of its own",
      gateway({ type: "ClusterIP" }, []),
      `${the} is of type ClusterIP and so has no address of its own: set gateway.addresses on the link`,
    ],
    [
      "a Service",
      undefined,
      `there is no gateway Service ${where}: install Linkerd's gateway there, or set gateway.addresses, gateway.port, gateway.identity on the link`,
    ],
    ["a port", gateway({ ports: [] }), noPort],
    [
      "a port beside an address that is left out",
      gateway({ ports: [] }, [{ ip: "127.0.0.1" }, { ip: "192.0.2.7" }]),
      noPort,
    ],
    [
      "an identity",
      gateway({}, [{ ip: "192.0.2.7" }], ""),
      `${the} has no annotation ${annotation}: set gateway.identity on the link`,
    ],
    [
      "an identity that makes sense",
      gateway({}, [{ ip: "192.0.2.7" }], "-"),
      `${the} has annotation ${annotation} with a value that is not a DNS name: set gateway.identity on the link`,
    ],
    [
      "an address that may be used",
      gateway({}, [{ ip: "127.0.0.1" }]),
      `${the} announces no address that may be used (127.0.0.1 is loopback): check what has set its status.loadBalancer, or set gateway.addresses on the link to where its gateway is`,
    ],
  ];
  for (const [what, service, missing, soon = false] of lacks)
    it(`says that it lacks ${what}`, () => {
      deepEqual(factsOf(service), { why: missing, cause: soon ? "unreachable" : "refused" });
    });
});
