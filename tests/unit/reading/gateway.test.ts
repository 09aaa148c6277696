import { deepEqual, equal, ok } from "node:assert/strict";
import type { GatewaySource } from "../../../engine/model/link.ts";
import { ownAddresses } from "../../../engine/gateway/addresses.ts";
import { gatewayFactsOf, type Resolve } from "../../../engine/gateway/facts.ts";
import { readGateway } from "../../../engine/reading/gateway.ts";
import { valueIn } from "../../../engine/base/result.ts";
import { UserError } from "../../../engine/base/user-error.ts";
import { link } from "../fixtures/link.ts";
import { cluster, service } from "../fixtures/objects.ts";

const at = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };
const where = "west/linkerd-multicluster/linkerd-gateway";
const east = cluster("east", {
  services: [service("shop/web", {}, { clusterIP: "10.0.0.7" })],
});

/** No other name exists in DNS. */
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

const inside = ["inside.example"];
const lookup = { resolve, own: () => Promise.resolve(ownAddresses(east)) };

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

function read(gateway: Partial<GatewaySource> | false, ...ingress: string[]) {
  const said = gateway === false ? gateway : { ...at, ...gateway };
  const west = cluster("west", { services: [announcing(...ingress)] });
  return readGateway(link({ gateway: said }), west, lookup);
}

describe("the addresses of a Link", () => {
  const within = { allowedAddresses: ["192.0.2.0/27"] };
  /** Tests the addresses in a Link whose config says this, of a target with these ingress points. */
  function are(
    rule: string,
    said: Partial<GatewaySource>,
    ingress: readonly string[],
    addresses: readonly string[],
  ) {
    it(`are ${rule}`, async () => {
      const found = await gatewayFactsOf({ ...at, ...said }, announcing(...ingress), where, lookup);
      deepEqual("value" in found ? found.value.facts.addresses : found.why, addresses);
    });
  }
  const names = ["gw.example", "new.example"];
  are("those of the load balancer, with hostnames, which need not resolve yet", {}, names, names);
  are("the IPs in the ranges of the config", within, ["gw.example"], ["192.0.2.30", "192.0.2.4"]);
  are("never the source's own", {}, ["10.0.0.7", "inside.example"], ["192.0.2.1"]);
  const mixed = ["gw.example", "inside.example"];
  are("names beside the IPs of others", {}, mixed, ["gw.example", "192.0.2.1"]);
  are("those of the config, unchecked", { addresses: inside }, [], inside);

  it("are unknown if the config restricts them and the hostname does not resolve yet", async () => {
    const found = await gatewayFactsOf(
      { ...at, ...within },
      announcing("new.example"),
      where,
      lookup,
    );
    deepEqual(found, {
      why: `the gateway Service ${where} announces no address that may be used (new.example: ENOTFOUND new.example.): check what has set its status.loadBalancer, or set gateway.addresses on the link to where its gateway is`,
      cause: "unreachable",
    });
  });
});

describe("the gateway of a target, with its hostnames resolved (linkerd-behaviour.md 1.6, 2.9)", () => {
  const left = "one address of the gateway of west is left out";
  function has(
    rule: string,
    said: Partial<GatewaySource>,
    ingress: readonly string[],
    addresses: readonly string[],
    warnings: readonly string[] = [],
  ) {
    it(rule, async () => {
      const gateway = { addresses, port: 4143, identity: "gateway.west" };
      const found = valueIn(await read(said, ...ingress));
      deepEqual([found?.gateway, found?.warnings], [gateway, warnings]);
    });
  }
  has(
    "has all addresses of the load balancer, sorted as strings, each once",
    {},
    ["192.0.2.4", "192.0.2.30", "192.0.2.200", "192.0.2.4"],
    ["192.0.2.200", "192.0.2.30", "192.0.2.4"],
  );
  has(
    "resolves its hostnames without search domains",
    {},
    ["gw.example", "192.0.2.30"],
    ["192.0.2.30", "192.0.2.4", "2001:db8::1"],
  );
  has(
    "has the addresses in the link's config, whatever they resolve to",
    { addresses: ["192.0.2.9", "gw.example"] },
    ["192.0.2.1"],
    ["127.0.0.1", "192.0.2.30", "192.0.2.9"],
  );
  has(
    "omits a hostname that does not resolve if another address remains",
    { addresses: ["nowhere.example", "192.0.2.9"] },
    [],
    ["192.0.2.9"],
    [`${left}: nowhere.example: ENOTFOUND nowhere.example`],
  );
  has(
    "omits an address that is the source's own",
    {},
    inside,
    ["192.0.2.1"],
    [`${left}: 10.0.0.7 is a ClusterIP (Service shop/web) of the source itself`],
  );

  async function whyUnknown(said: Partial<GatewaySource> | false, ...ingress: string[]) {
    const found = await read(said, ...ingress);
    return "why" in found ? found.why : "";
  }

  it("is unknown if the link has none", async () => {
    equal(
      await whyUnknown(false, "192.0.2.1"),
      "link east → west has no gateway (gateway: false): label the Service mirror.linkerd.io/exported=remote-discovery instead, or give the link a gateway",
    );
  });

  it("is unknown if none of its hostnames resolves", async () => {
    equal(
      await whyUnknown({ addresses: ["a.example", "b.example"] }),
      "the gateway of west does not resolve (a.example: ENOTFOUND a.example; b.example: ENOTFOUND b.example): a new load balancer can take minutes to appear in DNS, so run again, or set gateway.addresses on the link",
    );
  });

  it("is unknown if its hostname resolves to no address that may be used", async () => {
    const why = `the gateway Service ${where} announces no address that may be used (169.254.169.254 is link-local):`;
    ok((await whyUnknown({}, "metadata.example")).startsWith(why));
  });
});
