import { deepEqual, equal } from "node:assert/strict";
import type { GatewaySource } from "../../../engine/mirroring/model/link.ts";
import { ownAddresses } from "../../../engine/mirroring/decide/gateway-addresses.ts";
import { judgedGateway, type Resolve } from "../../../engine/mirroring/decide/gateway-facts.ts";
import { readGateway } from "../../../engine/mesh/gateway.ts";
import { valueIn } from "../../../engine/result.ts";
import { UserError } from "../../../engine/user-error.ts";
import { link } from "../fixtures/link.ts";
import { cluster, service } from "../fixtures/objects.ts";

const at = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };
const where = "west/linkerd-multicluster/linkerd-gateway";
const east = cluster("east", {
  services: [service("shop/web", {}, { clusterIP: "10.0.0.7" })],
});

/** What DNS says; any other name does not exist. */
const zone: Readonly<Record<string, readonly string[]>> = {
  "gw.example.": ["192.0.2.30", "192.0.2.4", "2001:db8::1"],
  "gw.example": ["127.0.0.1", "192.0.2.30"],
  "metadata.example.": ["169.254.169.254"],
  "inside.example.": ["10.0.0.7", "192.0.2.1"],
};

const resolve: Resolve = async (hostname) => {
  await Promise.resolve();
  const addresses = zone[hostname];
  if (addresses === undefined) throw new UserError(`ENOTFOUND ${hostname}`);
  return addresses;
};

const judge = { resolve, own: () => Promise.resolve(ownAddresses(east)) };

/** The gateway Service of a target whose load balancer has these ingress points. */
function announcing(...ingress: string[]) {
  const annotations = { "mirror.linkerd.io/gateway-identity": "gateway.west" };
  const spec = { type: "LoadBalancer", ports: [{ name: "mc-gateway", port: 4143 }] };
  const points = ingress.map((point) =>
    /[a-z]/.test(point) ? { hostname: point } : { ip: point },
  );
  return {
    ...service("linkerd-multicluster/linkerd-gateway", { annotations }, spec),
    status: { loadBalancer: { ingress: points } },
  };
}

/** The gateway of a link that says this, of such a target. */
function read(gateway: Partial<GatewaySource> | false, ...ingress: string[]) {
  const said = gateway === false ? gateway : { ...at, ...gateway };
  const west = cluster("west", { services: [announcing(...ingress)] });
  return readGateway(link({ gateway: said }), west, judge);
}

describe("the addresses of a Link", () => {
  const within = { allowedAddresses: ["192.0.2.0/27"] };
  type Row = [rule: string, said: Partial<GatewaySource>, ingress: string[], named: string[]];
  const rows: Row[] = [
    [
      "are those of the load balancer, with its hostname unresolved",
      {},
      ["gw.example"],
      ["gw.example"],
    ],
    ["include a hostname that does not resolve yet", {}, ["new.example"], ["new.example"]],
    [
      "are the IPs in the ranges of the config",
      within,
      ["gw.example"],
      ["192.0.2.30", "192.0.2.4"],
    ],
    ["are never the source's own", {}, ["10.0.0.7", "inside.example"], ["192.0.2.1"]],
    [
      "are those of the config, unchecked",
      { addresses: ["inside.example"] },
      [],
      ["inside.example"],
    ],
  ];
  for (const [rule, said, ingress, named] of rows)
    it(rule, async () => {
      const found = await judgedGateway({ ...at, ...said }, announcing(...ingress), where, judge);
      deepEqual("value" in found ? found.value.facts.addresses : found.why, named);
    });

  it("are unknown if the config restricts them and the hostname does not resolve yet", async () => {
    const found = await judgedGateway(
      { ...at, ...within },
      announcing("new.example"),
      where,
      judge,
    );
    const why = "ENOTFOUND new.example.";
    deepEqual(found, {
      why: `the gateway Service ${where} announces no address that may be used (new.example: ${why}): check what has set its status.loadBalancer, or set gateway.addresses on the link to where its gateway is`,
      cause: "unreachable",
    });
  });
});

describe("the gateway of a target, with its hostnames resolved (linkerd-behaviour.md 1.6, 2.9)", () => {
  const left = "one address of the gateway of west is left out";
  type Row = [
    rule: string,
    said: Partial<GatewaySource>,
    ingress: string[],
    addresses: string[],
    warnings?: string[],
  ];
  const rows: Row[] = [
    [
      "has all addresses of the load balancer, sorted as strings, each once",
      {},
      ["192.0.2.4", "192.0.2.30", "192.0.2.200", "192.0.2.4"],
      ["192.0.2.200", "192.0.2.30", "192.0.2.4"],
    ],
    [
      "resolves its hostnames without search domains",
      {},
      ["gw.example", "192.0.2.30"],
      ["192.0.2.30", "192.0.2.4", "2001:db8::1"],
    ],
    [
      "has the addresses in the link's config, whatever they resolve to",
      { addresses: ["192.0.2.9", "gw.example"] },
      ["192.0.2.1"],
      ["127.0.0.1", "192.0.2.30", "192.0.2.9"],
    ],
    [
      "omits a hostname that does not resolve if another address remains",
      { addresses: ["nowhere.example", "192.0.2.9"] },
      [],
      ["192.0.2.9"],
      [`${left}: nowhere.example: ENOTFOUND nowhere.example`],
    ],
    [
      "omits an address that is the source's own",
      {},
      ["inside.example"],
      ["192.0.2.1"],
      [`${left}: 10.0.0.7 is a ClusterIP of the source itself`],
    ],
  ];
  for (const [rule, said, ingress, addresses, warnings = []] of rows)
    it(rule, async () => {
      const gateway = { addresses, port: 4143, identity: "gateway.west" };
      const found = valueIn(await read(said, ...ingress));
      deepEqual([found?.gateway, found?.warnings], [gateway, warnings]);
    });

  const unknown: [rule: string, Partial<GatewaySource> | false, ingress: string[], why: string][] =
    [
      [
        "the link has none",
        false,
        ["192.0.2.1"],
        "link east → west has no gateway (gateway: false): label the Service mirror.linkerd.io/exported=remote-discovery instead, or give the link a gateway",
      ],
      [
        "none of its hostnames resolves",
        { addresses: ["a.example", "b.example"] },
        [],
        "the gateway of west does not resolve (a.example: ENOTFOUND a.example; b.example: ENOTFOUND b.example): a new load balancer can take minutes to appear in DNS, so run again, or set gateway.addresses on the link",
      ],
      [
        "its hostname resolves to no address that may be used",
        {},
        ["metadata.example"],
        `the gateway Service ${where} announces no address that may be used (169.254.169.254 is link-local): check what has set its status.loadBalancer, or set gateway.addresses on the link to where its gateway is`,
      ],
    ];
  for (const [rule, said, ingress, why] of unknown)
    it(`is unknown if ${rule}`, async () => {
      const found = await read(said, ...ingress);
      equal("why" in found && found.why, why);
    });
});
