import assert from "node:assert/strict";

import { nameOf, relabel } from "../mirroring/changes.ts";
import { worldWithGateway } from "../mirroring/gateway.ts";
import { Methods } from "../mirroring/methods.ts";
import { exportedHeadless, exportedService, kinds } from "../mirroring/objects.ts";
import { create, type World } from "../mirroring/world.ts";
import { Admission, has } from "./admission.ts";

const team = "example.com/team";
const clusters = { west: {}, east: {} };
const link = { source: "east", target: "west", headless: true };

for (const { title, namespace, exportedLabels, excluded, added } of [
  {
    title: "a label and an annotation that admission in the source adds to every Service",
    namespace: "admission-adds",
    exportedLabels: { tier: "front" },
    excluded: {},
    added: {
      labels: { "example.com/cost-centre": "42" },
      annotations: { "example.com/stamped": "yes" },
    },
  },
  {
    title: "a label that is excluded, and that admission in the source sets to a value of its own",
    namespace: "admission-excluded",
    exportedLabels: { tier: "front", [team]: "shop" },
    excluded: { excludedLabels: [team] },
    added: { labels: { [team]: "platform" } },
  },
]) {
  describe(title, function () {
    this.timeout("3m");

    let world: World;
    let stack: Methods;
    let admission: Admission | undefined;

    before(async function () {
      this.timeout("20m");
      world = await worldWithGateway(namespace);
      const { west } = world.kube;
      admission = await Admission.create(world, namespace, added);
      await create(west, [
        ...exportedService(`${namespace}/web`, { labels: exportedLabels }),
        ...exportedHeadless(`${namespace}/db`, ["db-0"], { labels: exportedLabels }),
      ]);
      stack = await Methods.create(world, namespace, {
        clusters,
        links: [{ ...link, ...excluded }],
      });
      await stack.up();
    });
    after(() => admission?.remove());

    it("is no reason for another run", async () => {
      await stack.previewNothing();
      await stack.assertSettled();
      await assertAdded();
    });

    it("stays when something else about the mirror changes", async () => {
      await relabel(world.kube.west, `${namespace}/web`, { tier: "back" });
      const { writes } = await stack.up();
      assert.deepEqual(
        writes.filter((write) => !write.endsWith("/web-west")),
        [],
      );
      const { metadata } = await world.kube.east.get(
        kinds.Service,
        nameOf(`${namespace}/web-west`),
      );
      assert.equal(metadata.labels?.["tier"], "back");
      await assertAdded();
      await stack.assertSettled();
    });

    async function assertAdded(): Promise<void> {
      const services = await world.kube.east.list(kinds.Service, { namespace });
      assert.deepEqual(
        services
          .map(({ metadata }) => ({ name: metadata.name, added: has(metadata, added) }))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
        ["db-0-west", "db-west", "web-west"].map((name) => ({ name, added: true })),
      );
    }
  });
}
