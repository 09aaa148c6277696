import { deepEqual, match, throws } from "node:assert/strict";
import type { Facts, LinkFact, MirrorFact, ServiceFact } from "../../../tool/facts.ts";
import { lossIn, whatIf, whatIfText } from "../../../tool/whatif.ts";

const mirror = (source: string, part: string, name: string, more: Partial<MirrorFact> = {}) => ({
  ...({
    source,
    part,
    mirror: name,
    kind: "gateway",
    verdict: "keep",
    ports: "",
    line: "",
  } as const),
  ...more,
});
const service = (cluster: string, ready: number): ServiceFact => ({
  ...{ cluster, service: "shop/bb", type: "ClusterIP", ports: "", labels: {}, ready },
});
const link = (source: string, target: string): LinkFact => ({
  ...{ source, target, mode: "gateway", mirroring: "pulumi", isDecided: true },
  selectors: { mirror: "", discovery: "", federated: "" },
});
const union = { kind: "federated", service: "shop/bb" } as const;

const facts: Facts = {
  ...{ version: 1, readAt: "", from: "clusters", stack: "prod", runs: [], next: [] },
  clusters: ["west", "east", "north"].map((name) => ({ name, context: name })),
  links: [link("east", "west"), link("north", "west"), link("west", "north")],
  mirrors: [
    mirror("east", "west", "shop/web-west"),
    mirror("east", "west", "pay/api-west", { kind: "discovery" }),
    mirror("east", "west", "shop/coming-west", { verdict: "create" }),
    mirror("east", "federated", "shop/bb-federated", {
      ...union,
      members: ["bb@west", "local bb"],
    }),
    mirror("north", "federated", "shop/bb-federated", {
      ...union,
      members: ["bb@west", "bb@east"],
    }),
    mirror("west", "north", "shop/web-north"),
  ],
  notMirrored: [],
  services: [service("west", 2), service("east", 1), service("north", 1)],
};

const left = (text: string, of = facts) =>
  whatIf(of, lossIn(text, of)).affected.map((each) => [
    each.source,
    each.mirror,
    each.left,
    each.by,
  ]);

describe("whatif", () => {
  it("leaves the clients of plain mirrors without, and those of federated Services with the rest", () => {
    deepEqual(left("west"), [
      ["east", "shop/web-west", "nothing", []],
      ["east", "pay/api-west", "nothing", []],
      ["east", "shop/bb-federated", "fewer", ["east"]],
      ["north", "shop/bb-federated", "fewer", ["east"]],
    ]);
    deepEqual(left("cluster/north"), [["west", "shop/web-north", "nothing", []]]);
  });

  it("takes of a link, a gateway or a namespace only what leads through it", () => {
    deepEqual(left("link/north/west"), [["north", "shop/bb-federated", "fewer", ["east"]]]);
    deepEqual(left("gateway/west"), [["east", "shop/web-west", "nothing", []]]);
    deepEqual(left("namespace/west/pay"), [["east", "pay/api-west", "nothing", []]]);
    deepEqual(whatIf(facts, lossIn("gateway/west", facts)).unaffected, {
      east: 2,
      north: 1,
      west: 1,
    });
  });

  it("counts on no member without a ready pod", () => {
    const asleep = { ...facts, services: [service("west", 2), service("east", 0)] };
    deepEqual(left("link/north/west", asleep), [
      ["north", "shop/bb-federated", "nothing", ["east"]],
    ]);
    const text = whatIfText(whatIf(asleep, lossIn("west", asleep)));
    match(text, /^without cluster west: 4 left without, 0 with fewer members, 0 as before\n/);
    match(text, /north: shop\/bb-federated: goes on with east, but no pod is ready in east\n/);
    match(text, /not known: traffic: .*; quorum: /);
  });

  it("asks for something that the stack has", () => {
    for (const text of ["south", "link/west/east", "namespace/west", "cluster/west/shop", "pod/x"])
      throws(() => lossIn(text, facts), /it must be west, gateway\/west, link\/east\/west/);
  });
});
