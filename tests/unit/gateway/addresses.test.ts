import { deepEqual, equal, match } from "node:assert/strict";
import { ownAddresses, refusedAddress, usableOf } from "../../../engine/gateway/addresses.ts";
import { itemsOf } from "../../../engine/kubernetes/client/answers.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { cluster, endpoints, exported, service } from "../fixtures/objects.ts";

const refused = {
  loopback: ["127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"],
  "link-local": [
    "64:ff9b::a9fe:a9fe",
    "169.254.169.254",
    "fe80::1",
    "::ffff:169.254.169.254",
    "::169.254.169.254",
  ],
  unspecified: ["0.0.0.0", "::", "::ffff:0.0.0.0"],
  multicast: ["224.0.0.1", "239.1.1.1", "ff02::1"],
  reserved: ["255.255.255.255", "192.0.0.192"],
  "a cloud's metadata service": [
    ...["100.100.100.200", "168.63.129.16", "64:ff9b::168.63.129.16"],
    ...["fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe"],
  ],
  "site-local": ["fec0::1"],
  "translated or tunnelled": ["64:ff9b:1::127.0.0.1", "2002:7f00:1::1", "2001::7f00:1"],
};

const sentence = (what: string) =>
  new RegExp(`^is ${what}(?: \\(Service shop/[\\w-]+\\))? of the source itself$`);

describe("the addresses that a target announces", () => {
  for (const [kind, addresses] of Object.entries(refused))
    it(`exclude ${kind}, however written`, () => {
      for (const address of addresses) equal(refusedAddress(address), `is ${kind}`, address);
    });

  it("exclude addresses of the source's own, now or later, however written", () => {
    const ips = ["10.0.0.7", "fd00::7", "::ffff:10.0.0.9", "None"];
    const nodes = [
      {
        metadata: { name: "one" },
        spec: { podCIDRs: ["10.244.1.0/24", "fd01::/64"] },
        status: { addresses: [{ address: "one" }, { address: "172.18.0.2" }] },
      },
      { metadata: { name: "starting" } },
    ];
    const ingress = [{ ip: "203.0.113.80" }, { hostname: "lb.east.example" }];
    const services = [
      ...ips.map((clusterIP, n) => service(`shop/web-${n}`, {}, { clusterIP })),
      service("shop/db", {}, { selector: { app: "db" }, externalIPs: ["192.0.2.80"] }),
      service("shop/mirror-west"),
      { ...service("shop/pending"), status: {} },
      { ...exported("shop/ingress"), status: { loadBalancer: { ingress } } },
    ];
    const at = (...ips: string[]) => ips.map((ip) => ({ ip }));
    const all = [
      endpoints("default/kubernetes", [{ addresses: at("203.0.113.6") }]),
      endpoints("shop/db", [{ addresses: at("10.42.7.9"), notReadyAddresses: at("10.42.7.10") }]),
      endpoints("shop/mirror-west", [{ addresses: at("172.18.0.3") }]),
    ];
    const east = cluster("east", { services, endpoints: all });
    const own = ownAddresses({ ...east, serviceRanges: ["10.96.0.0/12"], nodes });
    const rows: Record<string, string[]> = {
      "a ClusterIP": [
        ...["10.0.0.7", "::10.0.0.7", "::ffff:10.0.0.7", "10.96.200.1", "10.0.0.9"],
        ...["fd00::7", "fd00:0:0:0::7", "FD00::7"],
      ],
      "a node or an API server": ["172.18.0.2", "64:ff9b::cb00:7106", "64:ff9b::ac12:2"],
      "an external IP or load balancer": ["192.0.2.80", "203.0.113.80", "LB.east.example."],
      "a pod": ["10.244.1.9", "fd01::9", "10.42.7.9", "10.42.7.10", "::ffff:10.42.7.9"],
    };
    for (const [what, addresses] of Object.entries(rows))
      for (const ip of addresses) match(refusedAddress(ip, { own }) ?? "", sentence(what), ip);
    for (const [ip, name] of [
      ["10.0.0.7", "web-0"],
      ["192.0.2.80", "db"],
      ["10.42.7.9", "db"],
    ] as const)
      match(refusedAddress(ip, { own }) ?? "", new RegExp(` \\(Service shop/${name}\\) of the`));
    const elsewhere = ["10.0.0.8", "fd00::8", "10.244.2.9", "172.18.0.3"];
    for (const ip of [...elsewhere, "1:64:ff9b::ac12:2", "64:ff9b::ac12:2:1"])
      equal(refusedAddress(ip, { own }), undefined, ip);
  });

  it("exclude the second address of a Service with two, in a snapshot too", () => {
    const spec = { clusterIP: "10.0.0.7", clusterIPs: ["10.0.0.7", "fd00::7"] };
    const services = itemsOf(resources.services, [service("shop/web", {}, spec)]);
    if (typeof services === "string") throw new Error(services);
    const own = ownAddresses(cluster("east", { services }));
    equal(
      refusedAddress("fd00::7", { own }),
      "is a ClusterIP (Service shop/web) of the source itself",
    );
  });

  it("exclude names that mean something else in the source", () => {
    for (const name of [
      ...["gateway", "gateway.", "localhost", "LOCALHOST.", "a.localhost"],
      ...["kubernetes.default.svc", "web.shop.svc.cluster.local", "db-0.db.shop.svc.k8s.corp.com"],
    ])
      equal(refusedAddress(name), "means something else in each cluster", name);
    for (const name of ["gateway.west.example.com", "lb.svc.corp.com", "a.b.c.d.svc.corp.com"])
      equal(refusedAddress(name), undefined, name);
  });

  it("are within the link's allowed ranges", () => {
    const allowed = ["198.51.100.0/24", "2001:db8::/32"];
    equal(refusedAddress("198.51.100.9", { allowed }), undefined);
    equal(refusedAddress("2001:db8::9", { allowed }), undefined);
    equal(refusedAddress("192.0.2.9", { allowed }), "is not in gateway.allowedAddresses");
    equal(refusedAddress("127.0.0.1", { allowed: ["127.0.0.0/8"] }), "is loopback");
    for (const ip of ["1:64:ff9b::7f00:1", "64:ff9b::1:7f00:1", "64:ff9b::1.2.3.4"])
      equal(refusedAddress(ip), undefined, ip);
  });

  it("are 32 at most, with a note about the rest", () => {
    const many = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`);
    const { allowed, refused } = usableOf(many, {});
    deepEqual([allowed, refused], [many.slice(0, 32), ["68 beyond the first 32"]]);
    deepEqual(usableOf(many.slice(0, 32), {}).refused, []);
    const { refused: all } = usableOf(many, { allowed: ["203.0.113.0/24"] });
    deepEqual([all.length, all.at(-1)], [6, "and 95 more"]);
  });
});
