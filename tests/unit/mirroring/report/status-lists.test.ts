import assert from "node:assert/strict";
import type { StatusEntry } from "../../../../engine/model/service-status.ts";
import { federatedStatus, mirrorStatus } from "../../../../engine/mirroring/report/status.ts";
import { type Federation, federationOf, plannedFederation } from "../../fixtures/federation.ts";
import {
  cluster,
  endpoints,
  exported,
  headless,
  http,
  member,
  pods,
  service,
} from "../../fixtures/objects.ts";
import { planned } from "../../fixtures/reconcile.ts";

/** `shop/web: shop/web-west`, or the reason why there is none. */
function lines(entries: readonly StatusEntry[]): string[] {
  return entries.map(({ remote, local, problem }) => `${remote}: ${problem?.reason ?? local}`);
}

describe("status.mirrorServices of a Link", () => {
  const shop = cluster("east", { namespaces: ["shop"] });

  const db = (...names: string[]) => [endpoints("shop/db", [pods(names)])];
  const slip = { "mirror.linkerd.io/exported": "True" };
  const flat = { "mirror.linkerd.io/exported": "remote-discovery" };
  for (const { rule, services, endpoints: objects = [], expected } of [
    {
      rule: "has one entry per exported Service, whatever its mirror's kind, and none for pods",
      services: [
        headless("shop/db"),
        exported("shop/flat", { labels: flat }),
        exported("shop/web"),
      ],
      endpoints: db("db-0"),
      expected: ["shop/db: shop/db-west", "shop/flat: shop/flat-west", "shop/web: shop/web-west"],
    },
    {
      rule: "has Linkerd's reason for a Service that isn't mirrored",
      services: [
        exported("lost/web"),
        exported("shop/alias", {}, { type: "ExternalName" }),
        exported("shop/nothing", {}, { ports: [] }),
      ],
      expected: [
        "lost/web: MissingNamespace",
        "shop/alias: InvalidService",
        "shop/nothing: InvalidService",
      ],
    },
    {
      rule: "has no entry for a Service that no selector of the link matches",
      services: [service("shop/own"), exported("shop/slip", { labels: slip })],
      expected: [],
    },
    {
      rule: "has one entry for a headless Service with a pod that can't be mirrored",
      services: [headless("shop/db")],
      endpoints: db("db-0", "d".repeat(59)),
      expected: ["shop/db: shop/db-west"],
    },
  ])
    it(rule, () => {
      const target = cluster("west", { services, endpoints: objects });
      const { decisions } = planned({ target, source: shop });
      const { list, entries } = mirrorStatus(decisions);
      assert.deepEqual([list, lines(entries)], ["mirrorServices", expected]);
    });
});

describe("status.federatedServices of a Link", () => {
  const bb = member("demo/bb");
  const targets = {
    east: cluster("east", { services: [bb] }),
    north: cluster("north", { services: [bb, member("demo/web")] }),
  };

  function status(target: string, federation: Federation): string[] {
    const { mirrors } = federationOf(federation);
    const { decisions } = plannedFederation(federation);
    const { list, entries } = federatedStatus(target, mirrors, decisions);
    assert.equal(list, "federatedServices");
    return lines(entries);
  }

  it("has one entry per member of the Link's target", () => {
    assert.deepEqual(status("east", { targets }), ["demo/bb: demo/bb-federated"]);
    assert.deepEqual(status("north", { targets }), [
      "demo/bb: demo/bb-federated",
      "demo/web: demo/web-federated",
    ]);
  });

  it("has the reason for a refused member of the Link's target, and none for a local member", () => {
    const broken = member("demo/bb", {}, { clusterIP: "None", ports: [http] });
    const source = cluster("west", { services: [broken] });
    const some = { ...targets, east: cluster("east", { services: [broken] }) };
    assert.match(status("east", { source, targets: some }).join(), /^demo\/bb: InvalidService$/);
    assert.deepEqual(status("north", { source, targets: some }), [
      "demo/bb: demo/bb-federated",
      "demo/web: demo/web-federated",
    ]);
  });

  it("has Error in every member's Link if the federated Service can't be written", () => {
    const source = cluster("west", { services: [service("demo/bb-federated")] });
    const foreign = "demo/bb: Error";
    assert.deepEqual(status("east", { source, targets }), [foreign]);
    assert.deepEqual(status("north", { source, targets }), [
      "demo/web: demo/web-federated",
      foreign,
    ]);
  });

  it("is empty if the target has no member left", () => {
    const some = { ...targets, east: cluster("east") };
    assert.deepEqual(status("east", { targets: some }), []);
  });
});
