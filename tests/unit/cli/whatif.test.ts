import { deepEqual, match, throws } from "node:assert/strict";
import type { ServiceFact } from "../../../cli/facts/facts.ts";
import { lossIn, whatIf, whatIfText } from "../../../cli/views/whatif.ts";
import { factsOf, link, mirror } from "./made-facts.ts";

const service = (cluster: string, ready: number): ServiceFact => ({
  cluster,
  service: "shop/bb",
  type: "ClusterIP",
  ports: "",
  labels: {},
  ready,
});
const federated = (source: string, ...members: readonly string[]) =>
  mirror(source, "federated", "shop/bb-federated", { kind: "federated", members });

const facts = factsOf({
  clusters: ["west", "east", "north"].map((name) => ({ name, context: name, reachable: true })),
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
  whatIf(of, lossIn(text, of)).affected.map(({ source, mirror, state, remaining }) => {
    return [source, mirror, state, remaining];
  });

describe("whatif", () => {
  it("makes mirrors unavailable, and degrades federated Services that keep members", () => {
    deepEqual(left("west"), [
      ["east", "shop/web-west", "unavailable", []],
      ["east", "pay/api-west", "unavailable", []],
      ["east", "shop/bb-federated", "degraded", ["east"]],
      ["north", "shop/bb-federated", "degraded", ["east"]],
    ]);
    deepEqual(left("cluster/north"), [["west", "shop/web-north", "unavailable", []]]);
  });

  it("affects only mirrors that need the lost link, gateway or namespace", () => {
    deepEqual(left("link/north/west"), [["north", "shop/bb-federated", "degraded", ["east"]]]);
    deepEqual(left("gateway/west"), [["east", "shop/web-west", "unavailable", []]]);
    deepEqual(left("namespace/west/pay"), [["east", "pay/api-west", "unavailable", []]]);
    const moved = mirror("east", "west", "west-shop/web-west", { service: "pay/web" });
    const elsewhere = { ...facts, mirrors: [moved] };
    deepEqual(left("namespace/west/pay", elsewhere).length, 1);
    throws(() => left("namespace/west/west-shop", elsewhere), /no mirror leads to/);
    deepEqual(whatIf(facts, lossIn("gateway/west", facts)).unaffected, {
      east: 2,
      north: 1,
      west: 1,
    });
  });

  it("degrades Services whose requests are routed there too, as the preview of a drain says", () => {
    const backends = ["shop/bb", "shop/web-west"];
    const routed = { ...facts, services: [{ ...service("east", 1), backends }] };
    deepEqual(left("gateway/west", routed).at(-1), ["east", "shop/bb", "degraded", ["east"]]);
    match(
      whatIfText(whatIf(routed, lossIn("west", routed))),
      / east: shop\/bb: degraded, still served by east\n/,
    );
  });

  it("counts only members with a ready pod", () => {
    const asleep = { ...facts, services: [service("west", 2), service("east", 0)] };
    deepEqual(left("link/north/west", asleep), [
      ["north", "shop/bb-federated", "unavailable", ["east"]],
    ]);
    match(
      whatIfText(whatIf(facts, lossIn("link/north/west", facts))),
      /^if link north → west is lost: 0 unavailable, 1 degraded, 4 unaffected\n/,
    );
    const text = whatIfText(whatIf(asleep, lossIn("west", asleep)));
    match(text, /^if cluster west is lost: 4 unavailable, 0 degraded, 0 unaffected\n/);
    match(text, /north: shop\/bb-federated: unavailable, since no pod is ready in east\n/);
  });

  it("rejects a loss of something that the stack doesn't have", () => {
    for (const text of ["south", "link/west/east", "namespace/west", "cluster/west/shop", "pod/x"])
      throws(() => lossIn(text, facts), /it must be west, gateway\/west, link\/east\/west/);
  });

  it("refuses a namespace to which no mirror leads, which would look safe to lose", () => {
    throws(
      () => lossIn("namespace/west/shopp", facts),
      /no mirror leads to namespace shopp of cluster west, but to .*shop/,
    );
  });
});
