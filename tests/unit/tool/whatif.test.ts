import { deepEqual, match, throws } from "node:assert/strict";
import type { ServiceFact } from "../../../tool/facts.ts";
import { lossIn, whatIf } from "../../../tool/whatif.ts";
import { whatIfText } from "../../../tool/whatif-text.ts";
import type { Workloads } from "../../../tool/workloads.ts";
import { factsOf, link, mirror } from "./facts.ts";

const service = (cluster: string, ready: number): ServiceFact => ({
  ...{ cluster, service: "shop/bb", type: "ClusterIP", ports: "", labels: {}, ready },
});
const federated = (source: string, ...members: readonly string[]) =>
  mirror(source, "federated", "shop/bb-federated", { kind: "federated", members });

const facts = factsOf({
  clusters: ["west", "east", "north"].map((name) => ({ name, context: name })),
  links: [link("east", "west"), link("north", "west"), link("west", "north")],
  mirrors: [
    mirror("east", "west", "shop/web-west"),
    mirror("east", "west", "pay/api-west", { kind: "discovery" }),
    mirror("east", "west", "shop/coming-west", { verdict: "create" }),
    federated("east", "bb@west", "local bb"),
    federated("north", "bb@west", "bb@east"),
    mirror("west", "north", "shop/web-north"),
  ],
  services: [service("west", 2), service("east", 1), service("north", 1)],
});

const left = (text: string, of = facts) =>
  whatIf(of, lossIn(text, of)).affected.map(({ source, mirror, left, by }) => {
    return [source, mirror, left, by];
  });

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
    match(text, /not known: traffic: .*; routes and capacity: clusters were not asked/);
  });

  it("finds the clients whose routes lead elsewhere, but for those that lead to what is lost too", () => {
    const route = (parent: string, ...backends: readonly string[]) => ({
      ...{ route: "shop/r", parents: [parent], backends },
    });
    const east: Workloads = {
      routes: [
        route("shop/web", "shop/web", "shop/web-west"),
        route("pay/api-west", "shop/web-west", "pay/api-west"),
      ],
      unread: ["it is not allowed to list nodes"],
    };
    const found = whatIf(facts, lossIn("west", facts), new Map([["east", east]]));
    deepEqual(found.affected.map(({ mirror, routedTo }) => [mirror, routedTo]).slice(0, 2), [
      ["shop/web-west", ["shop/web"]],
      ["pay/api-west", []],
    ]);
    const text = whatIfText(found);
    match(text, /: 1 left without, 1 caught by routes, 2 with fewer members/);
    match(text, /east: shop\/web-west: nothing is left of it; an HTTPRoute leads to shop\/web\n/);
    match(text, /not known: traffic: .*; of east: it is not allowed to list nodes/);
  });

  it("compares what the lost pods request with what the others' nodes have left", () => {
    const gib = 2 ** 30;
    const workloads = new Map<string, Workloads>([
      ["west", { requested: new Map([["shop/bb", { cpu: 2, memory: gib }]]), unread: [] }],
      ["east", { free: { cpu: 1, memory: gib }, unread: [] }],
    ]);
    const found = whatIf(facts, lossIn("west", facts), workloads);
    // Both sources see the same pods in east, which are asked for once.
    deepEqual(found.room, [
      {
        ...{ cluster: "east", free: { cpu: 1, memory: gib } },
        ...{ wanted: { cpu: 2, memory: gib }, isEnough: false },
      },
    ]);
    match(whatIfText(found), /east: nodes have 1\.0 CPU and 1\.0 GiB left, and .* 2\.0 CPU/);
    deepEqual(whatIf(facts, lossIn("gateway/west", facts), workloads).room, []);
  });

  it("finds the StatefulSets of which a cluster reaches no majority", () => {
    const pods = ["db-0", "db-1"].map((name) =>
      mirror("east", "west", `shop/${name}-west`, { kind: "endpoint", service: "shop/db" }),
    );
    const local = { ...service("east", 1), service: "shop/db" };
    const spread = { ...facts, mirrors: pods, services: [local] };
    const lost = { source: "east", service: "shop/db", pods: 3, left: 1 };
    deepEqual(whatIf(spread, lossIn("west", spread)).withoutQuorum, [lost]);
    match(whatIfText(whatIf(spread, lossIn("west", spread))), /reaches 1 of its 3 pods/);
    const more = { ...spread, services: [{ ...local, ready: 3 }] };
    deepEqual(whatIf(more, lossIn("west", more)).withoutQuorum, []);
    const alone = { ...spread, services: [] };
    deepEqual(whatIf(alone, lossIn("west", alone)).withoutQuorum, []);
  });

  it("asks for something that the stack has", () => {
    for (const text of ["south", "link/west/east", "namespace/west", "cluster/west/shop", "pod/x"])
      throws(() => lossIn(text, facts), /it must be west, gateway\/west, link\/east\/west/);
  });
});
