import assert from "node:assert/strict";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { discovered, exported, exportedHeadless, service } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { Stack } from "./stack.ts";

/** Each test goes on from the one before. */
describe("a link that names its mirrors", function () {
  this.timeout("10m");

  let shared: SharedBed;
  let stack: Stack;
  const configured = (more: object) => ({
    clusters: { west: {}, east: {} },
    links: [{ source: "east", target: "west", headless: true, ...more }],
  });
  const linkerds = ["db-0-west", "db-west", "found-west", "web-west"];
  const own = ["west-db", "west-db-0", "west-found", "west-web"];

  before(async () => {
    shared = await bedWithGateway("shop", "far");
    await create(shared.kube.west, [
      service("shop/web", { labels: exported }),
      service("shop/found", { labels: discovered }),
      ...exportedHeadless("shop/db", ["db-0"]),
    ]);
    stack = await Stack.create(shared, "names", configured({}));
    await stack.upAsPreviewed();
    assert.deepEqual(await mirrorsIn("shop"), linkerds);
  });

  it("has both after a change of names, and only the new ones after the next run", async () => {
    await stack.configure(configured({ names: "{target}-{service}" }));
    const { text } = await stack.upAsPreviewed();
    assert.match(text, /stays until shop\/west-web exists/);
    assert.deepEqual(await mirrorsIn("shop"), [...linkerds, ...own].sort());
    await stack.upAsPreviewed();
    assert.deepEqual(await mirrorsIn("shop"), own);
    await stack.assertSettled();
  });

  it("has no former ones if it deletes them at once", async () => {
    await stack.configure(configured({ formerNames: "delete" }));
    await stack.upAsPreviewed();
    assert.deepEqual(await mirrorsIn("shop"), linkerds);
    await stack.assertSettled();
  });

  it("has gateway mirrors in another namespace, and a reason for one on a flat network", async () => {
    await stack.configure(configured({ mirrorNamespaces: { shop: "far" } }));
    const { text } = await stack.upAsPreviewed();
    assert.match(text, /OtherNamespace/);
    await stack.upAsPreviewed();
    assert.deepEqual(await mirrorsIn("far"), ["db-0-west", "db-west", "web-west"]);
    assert.deepEqual(await mirrorsIn("shop"), ["found-west"]);
    await stack.assertSettled();
  });

  async function mirrorsIn(namespace: string): Promise<readonly string[]> {
    const services = await shared.kube.east.list(resources.services, { namespace });
    return services.map(({ metadata }) => metadata.name).sort();
  }
});
