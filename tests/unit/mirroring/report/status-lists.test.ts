import assert from "node:assert/strict";
import type { StatusEntry } from "../../../../engine/mirroring/report/service-status.ts";
import { federatedStatus, mirrorStatus } from "../../../../engine/mirroring/report/status.ts";
import { federationOf, member, plannedFederation } from "../../fixtures/federation.ts";
import type { Federation } from "../../fixtures/federation.ts";
import {
  cluster,
  endpoints,
  exported,
  headless,
  http,
  pods,
  service,
} from "../../fixtures/objects.ts";
import { planned, type SourceSituation } from "../../fixtures/reconcile.ts";

/** `shop/web: shop/web-west`, or why not. */
function lines(entries: readonly StatusEntry[]): string[] {
  return entries.map(
    ({ remote, local, problem }) =>
      `${remote}: ${problem === undefined ? local : `${problem.reason}: ${problem.sentence}`}`,
  );
}

describe("status.mirrorServices of a Link", () => {
  const shop = cluster("east", { namespaces: ["shop"] });

  function status(situation: Omit<SourceSituation, "source">): string[] {
    const { list, link, entries } = mirrorStatus(
      "mc/west",
      planned({ ...situation, source: shop }).decisions,
    );
    assert.deepEqual([list, link], ["mirrorServices", "mc/west"]);
    return lines(entries);
  }

  it("has an entry for each exported Service, whatever its mirror's kind, and none for pods", () => {
    const target = cluster("west", {
      services: [
        headless("shop/db"),
        exported("shop/flat", { labels: { "mirror.linkerd.io/exported": "remote-discovery" } }),
        exported("shop/web"),
      ],
      endpoints: [endpoints("shop/db", [pods(["db-0"])])],
    });
    assert.deepEqual(status({ target }), [
      "shop/db: shop/db-west",
      "shop/flat: shop/flat-west",
      "shop/web: shop/web-west",
    ]);
  });

  it("says why a Service is not mirrored, by Linkerd's reasons", () => {
    const target = cluster("west", {
      services: [
        exported("lost/web"),
        exported("shop/alias", {}, { type: "ExternalName" }),
        exported("shop/nothing", {}, { ports: [] }),
      ],
    });
    assert.deepEqual(status({ target }), [
      "lost/web: MissingNamespace: east has no namespace lost: create it there, or set createNamespaces on the link",
      "shop/alias: InvalidService: an ExternalName Service is an alias in DNS: export the Service it stands for",
      "shop/nothing: InvalidService: it has no ports: give it at least one, which its mirror can then have too",
    ]);
  });

  it("has no entry for what asks for nothing that the link does", () => {
    const target = cluster("west", {
      services: [service("shop/own"), exported("shop/slip", { labels: slip })],
    });
    assert.deepEqual(status({ target }), []);
  });

  it("has one entry for a headless Service of which one pod cannot be mirrored", () => {
    const target = cluster("west", {
      services: [headless("shop/db")],
      endpoints: [endpoints("shop/db", [pods(["db-0", "d".repeat(59)])])],
    });
    assert.deepEqual(status({ target }), ["shop/db: shop/db-west"]);
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
    const { list, link, entries } = federatedStatus(`mc/${target}`, target, mirrors, decisions);
    assert.deepEqual([list, link], ["federatedServices", `mc/${target}`]);
    return lines(entries);
  }

  it("has an entry for each member of its own target", () => {
    assert.deepEqual(status("east", { targets }), ["demo/bb: demo/bb-federated"]);
    assert.deepEqual(status("north", { targets }), [
      "demo/bb: demo/bb-federated",
      "demo/web: demo/web-federated",
    ]);
  });

  it("says of which Link a member is refused, and nothing of local ones", () => {
    const broken = member("demo/bb", {}, { clusterIP: "None", ports: [http] });
    const source = cluster("west", { services: [broken] });
    const some = { ...targets, east: cluster("east", { services: [broken] }) };
    assert.match(status("east", { source, targets: some }).join(), /^demo\/bb: InvalidService: /);
    assert.deepEqual(status("north", { source, targets: some }), [
      "demo/bb: demo/bb-federated",
      "demo/web: demo/web-federated",
    ]);
  });

  it("says to every member's Link that the federated Service cannot be had", () => {
    const source = cluster("west", { services: [service("demo/bb-federated")] });
    const foreign =
      "demo/bb: Error: west already has a foreign Service demo/bb-federated: rename or delete it, or rename what is exported";
    assert.deepEqual(status("east", { source, targets }), [foreign]);
    assert.deepEqual(status("north", { source, targets }), [
      "demo/web: demo/web-federated",
      foreign,
    ]);
  });

  it("is empty where the target has no member left", () => {
    const some = { ...targets, east: cluster("east") };
    assert.deepEqual(status("east", { targets: some }), []);
  });
});

const slip = { "mirror.linkerd.io/exported": "True" };
