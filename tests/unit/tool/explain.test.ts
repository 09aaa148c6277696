import { deepEqual, equal, match } from "node:assert/strict";
import { explain, explanationText } from "../../../tool/explain.ts";
import type { Facts } from "../../../tool/facts.ts";
import { Mesh } from "./mesh.ts";

/** `west/shop/web in east: mirrored`, a line for each place. */
function places(facts: Facts, asked: string): string[] {
  return explain(facts, asked).services.flatMap(({ cluster, service, appearsIn }) =>
    appearsIn.map(({ source, state }) => `${cluster}/${service} in ${source}: ${state}`),
  );
}

describe("explain", () => {
  let facts: Facts;
  before(async () => {
    facts = await (await (await new Mesh().up()).up()).facts();
  });

  it("finds a Service by its key, by its name, and by those of its mirror", () => {
    const expected = ["west/shop/web in east: mirrored", "west/shop/web in north: noLink"];
    for (const asked of ["shop/web", "web", "shop/web-west", "web-west"])
      deepEqual(places(facts, asked), expected, asked);
  });

  it("says which mirror there is, by which selector, and how a client calls it", () => {
    const [place] = explain(facts, "shop/web").services[0]?.appearsIn ?? [];
    equal(place?.selector, "mirror.linkerd.io/exported=true");
    const [mirror] = place.mirrors;
    deepEqual(
      [mirror?.mirror, mirror?.ports, mirror?.names, mirror?.identity, mirror?.endpoints],
      [
        ...["shop/web-west", "http 80→8080/TCP", ["web-west.shop.svc"], "gateway.west"],
        { ready: ["192.0.2.10"], notReady: 0 },
      ],
    );
  });

  it("says why there is none: a rule, a label that is missing, a link that is missing", () => {
    const why = (asked: string) => {
      const { services } = explain(facts, asked);
      return services[0]?.appearsIn.find(({ source }) => source === "east")?.why ?? "";
    };
    match(why("payments/ledger"), /^MissingNamespace: east has no namespace payments: create it/);
    match(
      why("shop/metrics"),
      /^no link selector matches\. Label it mirror\.linkerd\.io\/exported=true \(gateway mirror\)/,
    );
    deepEqual(places(facts, "payments/ledger"), [
      "west/payments/ledger in east: notMirrored",
      "west/payments/ledger in north: noLink",
    ]);
  });

  it("tells each member of a federated Service what became of it", () => {
    deepEqual(places(facts, "shop/bb"), [
      "west/shop/bb in east: mirrored",
      "west/shop/bb in north: noLink",
      "north/shop/bb in east: notMirrored",
      "north/shop/bb in west: noLink",
    ]);
  });

  it("shows what the next run changes", async () => {
    const other = await new Mesh().up();
    other.clusters.east.delete("services", "shop/web-west");
    const text = explanationText(explain(await other.facts(), "shop/web"));
    match(text, /‼ pending, run pulumi up to mirror it to east/);
    match(text, /shop\/web-west \(pending: create\): gateway mirror of web/);
  });

  it("knows nothing about a link whose cluster can't be read, and says why", async () => {
    const other = await new Mesh().up();
    delete other.clusters.north;
    const away = await other.facts();
    const [place] = explain(away, "shop/metrics").services[0]?.appearsIn ?? [];
    equal(place?.state, "unknown");
    match(place.why ?? "", /no context north/);
  });

  it("asks whether another one was meant where there is none of that name", () => {
    const explanation = explain(facts, "shop/wweb");
    deepEqual([explanation.services, explanation.near], [[], "shop/web"]);
    equal(
      explanationText(explanation),
      "No cluster of the stack has a Service or mirror shop/wweb. Did you mean shop/web?\n",
    );
  });
});
