import assert from "node:assert/strict";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { exported, exportedHeadless, member, service } from "./objects.ts";
import { bedWithGateway, create, createNamespaces, patch, type SharedBed } from "./shared-bed.ts";
import { Stack } from "./stack.ts";

/** Each test goes on from the one before. */
describe("an exporter that lists who may import its Services", function () {
  this.timeout("10m");

  let shared: SharedBed;
  let stack: Stack;
  const clusters = (list: string) => ({ "linkerd-multicluster/clusters": list });
  const ports = (list: string) => ({ "linkerd-multicluster/ports": list });
  const configured = (west: object) => ({
    clusters: { west, east: {}, north: {} },
    links: ["east", "north"].map((source) => ({ source, target: "west", headless: true })),
    linkDefaults: { maxDeletions: "100%" },
  });

  before(async () => {
    shared = await bedWithGateway("shop");
    await createNamespaces(shared.kube.north, ["shop"]);
    await create(shared.kube.west, [
      service("shop/open", { labels: exported }),
      service("shop/both", { labels: exported, annotations: clusters("east,north") }),
      service("shop/some", { labels: exported, annotations: ports("port1") }),
      service("shop/bb", { labels: member, annotations: { ...clusters("n*"), ...ports("666") } }),
      ...exportedHeadless("shop/db", ["db-0"], {
        annotations: { ...clusters("east"), ...ports("port2") },
      }),
    ]);
    stack = await Stack.create(shared, "imports", configured({}));
  });

  it("gives mirrors to the clusters that it lists, with the ports that it lists", async () => {
    const { text } = await stack.upAsPreviewed();
    assert.match(text, /NotListed/);
    assert.deepEqual(await mirrorsIn("east"), {
      "both-west": [555, 666],
      "db-0-west": [666],
      "db-west": [666],
      "open-west": [555, 666],
      "some-west": [555],
    });
    assert.deepEqual(await mirrorsIn("north"), {
      "bb-federated": [666],
      "both-west": [555, 666],
      "open-west": [555, 666],
      "some-west": [555],
    });
    const { east } = shared.kube;
    const own = await east.list(resources.endpoints, { namespace: "shop" });
    const found = own.map(({ metadata, subsets = [] }) => [
      metadata.name,
      subsets.flatMap((subset) => (subset.ports ?? []).map(({ name }) => name)),
    ]);
    assert.deepEqual(Object.fromEntries(found), {
      "both-west": ["port1", "port2"],
      "db-0-west": ["port2"],
      "db-west": ["port2"],
      "open-west": ["port1", "port2"],
      "some-west": ["port1"],
    });
    await stack.assertSettled();
  });

  it("takes a mirror from a cluster that it no longer lists, and the preview says why", async () => {
    await patch(shared.kube.west, "Service", "shop/both", {
      metadata: { annotations: clusters("north") },
    });
    const { text } = await stack.upAsPreviewed();
    assert.match(text, /its annotation linkerd-multicluster\/clusters: "north" does not name east/);
    assert.equal("both-west" in (await mirrorsIn("east")), false);
    assert.equal("both-west" in (await mirrorsIn("north")), true);
    await stack.assertSettled();
  });

  it("says what is wrong with a list, and lets nobody import the Service", async () => {
    await patch(shared.kube.west, "Service", "shop/both", {
      metadata: { annotations: clusters("north east") },
    });
    await patch(shared.kube.west, "Service", "shop/some", {
      metadata: { annotations: ports("port1,port3") },
    });
    const { text } = await stack.upAsPreviewed();
    assert.match(text, /shop\/both is not mirrored \(InvalidExport\)/);
    assert.match(text, /shop\/some has no port "port3"/);
    assert.equal("both-west" in (await mirrorsIn("north")), false);
    assert.deepEqual((await mirrorsIn("north"))["some-west"], [555]);
  });

  it("is left with what it lists where the cluster is private unless listed", async () => {
    await patch(shared.kube.west, "Service", "shop/both", {
      metadata: { annotations: clusters("north,east") },
    });
    await stack.configure(configured({ privateUnlessListed: true }));
    await stack.upAsPreviewed();
    assert.deepEqual(Object.keys(await mirrorsIn("east")), ["both-west", "db-0-west", "db-west"]);
    assert.deepEqual(Object.keys(await mirrorsIn("north")), ["bb-federated", "both-west"]);
    await stack.assertSettled();
  });

  /** The ports of the Services in the namespace `shop`, by name. */
  async function mirrorsIn(cluster: "east" | "north") {
    const services = await shared.kube[cluster].list(resources.services, { namespace: "shop" });
    const sorted = services.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    return Object.fromEntries(
      sorted.map(({ metadata, spec }): [string, readonly number[]] => [
        metadata.name,
        (spec.ports ?? []).map(({ port }) => port),
      ]),
    );
  }
});
