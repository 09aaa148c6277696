import { deepEqual, equal, match, ok } from "node:assert/strict";
import { gatewayProbe } from "../../../../engine/mirroring/model/gateway-probe.ts";
import { gatewayFacts } from "../../../../engine/mirroring/model/gateway.ts";
import {
  clusterAddresses,
  usableOf,
  refusedAddress,
} from "../../../../engine/mirroring/model/gateway-addresses.ts";
import { itemsOf } from "../../../../engine/kubernetes/client/answers.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { cluster, endpoints, service } from "../../fixtures/objects.ts";
import { gatewayService } from "../../fixtures/world.ts";

const refused = {
  loopback: ["127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"],
  "link-local": ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "::169.254.169.254"],
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

describe("the addresses that a target announces", () => {
  for (const [kind, addresses] of Object.entries(refused))
    it(`are not ${kind}, however that is written`, () => {
      for (const address of addresses) equal(refusedAddress(address), `is ${kind}`, address);
    });

  it("are not what the source's own Services answer at, now or later", () => {
    const services = [service("shop/web", {}, { clusterIP: "10.0.0.7" })];
    const source = { ...cluster("east", { services }), serviceRanges: ["10.96.0.0/12"] };
    const own = clusterAddresses(source);
    for (const ip of ["10.0.0.7", "::ffff:10.0.0.7", "10.96.200.1"])
      equal(refusedAddress(ip, { own }), "is a ClusterIP of the source itself", ip);
    equal(refusedAddress("10.0.0.8", { own }), undefined);
  });

  it("are not what these answer at in IPv6, however that is written", () => {
    const addresses = ["10.0.0.7", "fd00::7", "::ffff:10.0.0.9", "None"];
    const services = addresses.map((clusterIP, index) =>
      service(`shop/web-${index}`, {}, { clusterIP }),
    );
    const own = clusterAddresses(cluster("east", { services }));
    for (const ip of ["10.0.0.7", "fd00::7", "fd00:0:0:0::7", "FD00::7", "10.0.0.9"])
      equal(refusedAddress(ip, { own }), "is a ClusterIP of the source itself", ip);
    for (const ip of ["fd00::8", "10.0.0.8"]) equal(refusedAddress(ip, { own }), undefined);
  });

  it("are not the second address of a Service with two, in a snapshot too", () => {
    const spec = { clusterIP: "10.0.0.7", clusterIPs: ["10.0.0.7", "fd00::7"] };
    const services = itemsOf(resources.services, [service("shop/web", {}, spec)]);
    if (typeof services === "string") throw new Error(services);
    const own = clusterAddresses(cluster("east", { services }));
    equal(refusedAddress("fd00::7", { own }), "is a ClusterIP of the source itself");
  });

  it("are not those of its nodes, their pods or its API server", () => {
    const nodes = [
      {
        metadata: { name: "one" },
        spec: { podCIDRs: ["10.244.1.0/24", "fd01::/64"] },
        status: { addresses: [{ address: "one" }, { address: "172.18.0.2" }] },
      },
    ];
    const subsets = [{ addresses: [{ ip: "203.0.113.6" }] }];
    const api = endpoints("default/kubernetes", subsets);
    const own = clusterAddresses({ ...cluster("east", { endpoints: [api] }), nodes });
    for (const [ip, what] of [
      ["172.18.0.2", "a node or an API server"],
      ["203.0.113.6", "a node or an API server"],
      ["10.244.1.9", "a pod"],
      ["fd01::9", "a pod"],
    ] as const)
      equal(refusedAddress(ip, { own }), `is ${what} of the source itself`);
    for (const ip of ["10.244.2.9", "172.18.0.3"]) equal(refusedAddress(ip, { own }), undefined);
  });

  it("are no names that mean something else in the source", () => {
    for (const name of [
      ...["gateway", "gateway."],
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "kubernetes.default.svc",
      "web.shop.svc.cluster.local",
      "db-0.db.shop.svc.k8s.corp.com",
    ])
      equal(refusedAddress(name), "means something else in each cluster", name);
    for (const name of ["gateway.west.example.com", "lb.svc.corp.com", "a.b.c.d.svc.corp.com"])
      equal(refusedAddress(name), undefined, name);
  });

  it("are within the ranges that the link allows", () => {
    const allowed = ["198.51.100.0/24", "2001:db8::/32"];
    equal(refusedAddress("198.51.100.9", { allowed }), undefined);
    equal(refusedAddress("2001:db8::9", { allowed }), undefined);
    equal(refusedAddress("192.0.2.9", { allowed }), "is not in gateway.allowedAddresses");
    equal(refusedAddress("127.0.0.1", { allowed: ["127.0.0.0/8"] }), "is loopback");
  });

  it("are 32 at most, and a few words about the rest", () => {
    const many = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`);
    const { allowed, refused } = usableOf(many, {});
    deepEqual(allowed, many.slice(0, 32));
    deepEqual(refused, ["68 beyond the first 32"]);
    equal(usableOf(many, { allowed: ["203.0.113.0/24"] }).refused.length, 6);
  });

  it("are left out of a gateway's facts, which has none where all of them are", () => {
    const place = { namespace: "n", name: "g" };
    const alone = gatewayFacts(place, gatewayService("west", "127.0.0.1"), "west/n/g");
    ok("missing" in alone);
    match(
      alone.missing,
      /west\/n\/g announces no address that may be used \(127\.0\.0\.1 is loopback\)/,
    );
    equal(alone.soon, false);
    const pinned = gatewayFacts(
      { ...place, addresses: ["127.0.0.1"] },
      gatewayService("west"),
      "g",
    );
    ok("facts" in pinned);
    deepEqual(pinned.facts.addresses, ["127.0.0.1"]);
  });
});

describe("the probe of a gateway", () => {
  for (const path of ["@evil.example/ready", "ready", ".evil.example/", "/a b", "/\u001b[2K"])
    it(`has no path like ${JSON.stringify(path)}`, () => {
      const offered = gatewayService("west");
      const annotations = {
        "mirror.linkerd.io/probe-path": path,
        "mirror.linkerd.io/probe-period": "3s",
      };
      const ports = [{ name: "mc-probe", port: 4191 }];
      const probe = gatewayProbe(
        {
          ...offered,
          metadata: { ...offered.metadata, annotations },
          spec: { ...offered.spec, ports },
        },
        "west/n/g",
      );
      ok(probe !== undefined && "mistake" in probe);
      match(probe.mistake, /with a value that is not a path/);
    });
});
