import assert from "node:assert/strict";

import type { ObjectKey } from "../../../engine/kubernetes/objects/objects.ts";
import { until } from "../../../testbed/bed.ts";
import { nameOf, patchService } from "./changes.ts";
import { type Drift, drifts } from "./drifts.ts";
import { installGateway } from "./gateway.ts";
import { type Contents, gatewayMirror, headlessMirror, together } from "./mirrors.ts";
import { exportedHeadless, exportedService, kinds } from "./objects.ts";
import { Methods } from "./methods.ts";
import { type Previewed, within } from "../../simulation/preview.ts";
import { contentsOf } from "./view.ts";
import { create, createNamespaces, each, emptyWorld, type World } from "./world.ts";

const namespace = "drift";
const labels = { lk: "lv" };

describe("drift in east", function () {
  this.timeout("2m");

  let world: World;
  let stack: Methods;
  let previewed: Previewed;

  before(async function () {
    this.timeout("20m");
    world = await emptyWorld();
    await installGateway(world.kube.west);
    await createNamespaces(world.kube.east, [namespace]);
    const target = drifts.flatMap(({ service, pod }) => {
      const key: ObjectKey = `${namespace}/${service}`;
      if (pod === true) return exportedHeadless(key, ["pod-0"], { labels });
      if (service === "other-db") return exportedHeadless(key, ["pod-1"], { labels });
      return exportedService(key, { labels });
    });
    await create(world.kube.west, target);
    const links = [{ source: "east", target: "west", headless: true }];
    stack = await Methods.create(world, "drift", { clusters: { west: {}, east: {} }, links });
    await stack.up();
    assert.deepEqual(await contentsOf(world, namespace), mirrors);
    // A field that is not mirrored is somebody else's business.
    const affinity = { spec: { sessionAffinity: "ClientIP" } };
    await patchService(world.kube.east, `${namespace}/label-changed-west`, affinity);
  });

  describe("shows on a plain preview and is repaired by a plain up", () => {
    before(async () => {
      await alterAll(world);
      ({ previewed } = await stack.upAsPreviewed());
    });
    for (const { title, fields, fieldsOfRoot, ...drift } of drifts)
      it(title, () => {
        const { changes } = within(namespace, previewed);
        const key = keyOf(drift);
        const { endpoints, ...others } = changes[key] ?? {};
        // What Endpoints of a Service made anew hold is up to Kubernetes' controllers.
        const isReplaced = fields["action"]?.startsWith("replace") === true;
        assert.deepEqual(
          isReplaced || endpoints === undefined ? others : { endpoints, ...others },
          fields,
        );
        const root = changes[`${namespace}/${drift.service}-west`];
        if (fieldsOfRoot !== undefined) assert.deepEqual(root, fieldsOfRoot);
      });
    it("puts back every field that is mirrored", async () => {
      assert.deepEqual(await contentsOf(world, namespace), mirrors);
    });
    it("leaves fields that are not mirrored as they were set", async () => {
      const key = nameOf(`${namespace}/label-changed-west`);
      const { spec } = await world.kube.east.get(kinds.Service, key);
      assert.equal((spec as { sessionAffinity: string }).sessionAffinity, "ClientIP");
    });
  });

  describe("once it is repaired", () => {
    it("is shown and repaired again when the same happens before a run found all in order", async () => {
      const [first] = drifts;
      assert.ok(first);
      const key = keyOf(first);
      await first.alter(world.kube.east, key);
      const { previewed } = await stack.upAsPreviewed();
      assert.deepEqual(previewed.changes, { [key]: { "label lk": '"mine" → "lv" (again)' } });
      assert.deepEqual(await contentsOf(world, namespace), mirrors);
    });

    it("does not keep refresh from working, which changes nothing but the state", async () => {
      await alterAll(world);
      const before = await contentsOf(world, namespace);
      await stack.refresh();
      assert.deepEqual(await contentsOf(world, namespace), before);
      await stack.upAsPreviewed();
      assert.deepEqual(await contentsOf(world, namespace), mirrors);
      await stack.assertSettled();
    });
  });

  after(() => stack.destroy());
});

const mirrors: Contents = together(
  ...drifts.map(({ service, pod }) => {
    if (pod === true) return headlessMirror({ namespace, service, labels, hosts: ["pod-0"] });
    if (service === "other-db")
      return headlessMirror({ namespace, service, labels, hosts: ["pod-1"] });
    return gatewayMirror({ namespace, service, labels });
  }),
);

function keyOf({ service, pod }: Pick<Drift, "service" | "pod">): ObjectKey {
  return `${namespace}/${pod === true ? "pod-0" : service}-west`;
}

async function alterAll({ kube }: World): Promise<void> {
  await each(drifts, (drift) => drift.alter(kube.east, keyOf(drift)));
  // Endpoints go after their Service, at a time of Kubernetes' own.
  await until("the end of Endpoints without a Service", [], async () => {
    const services = await kube.east.list(kinds.Service, { namespace });
    const endpoints = await kube.east.list(kinds.Endpoints, { namespace });
    const names = new Set(services.map(({ metadata }) => metadata.name));
    return endpoints.every(({ metadata }) => names.has(metadata.name)) || undefined;
  });
}
