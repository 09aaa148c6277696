import assert from "node:assert/strict";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { endpoints, exportedHeadless, exportedService, kinds, service } from "./objects.ts";
import { Methods } from "./methods.ts";
import { bedWithGateway, create, each, type SharedBed } from "./shared-bed.ts";
import { contentsOf, servicesIn } from "./view.ts";

const namespace = "sizes";

/** 2,000 labels, in about 200 KiB: more than any page of a list has room for, if many objects have them. */
const manyLabels = Object.fromEntries(
  Array.from({ length: 2_000 }, (_, index) => [`example.com/label-${index}`, "x".repeat(63)]),
);
const pods = Array.from({ length: 400 }, (_, index) => `pod-${index}`);

/** One Service of a target must not be able to make its source unreadable. */
describe("a headless Service with 2,000 labels and 400 pods, on real API servers", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Methods;

  before(async () => {
    shared = await bedWithGateway(namespace);
    await create(shared.kube.west, [
      ...exportedService(`${namespace}/web`),
      ...exportedHeadless(`${namespace}/huge`, pods, { labels: manyLabels }),
    ]);
    stack = new Methods(shared, namespace, {
      clusters: { west: {}, east: {} },
      links: [{ source: "east", target: "west", headless: true, allowDeletions: true }],
    });
  });

  it("is left out, with the reason, and the others are mirrored", async () => {
    const { text } = await stack.up();
    assert.match(text, /sizes\/huge is not mirrored \(TooLarge\): .*labels.*128/);
    assert.deepEqual(await servicesIn(shared.kube.east, namespace), ["web-west"]);
    await stack.assertSettled();
  });

  it("has its mirrors of an earlier version deleted, which one page of a list cannot hold", async () => {
    const { east } = shared.kube;
    const web = await east.get(resources.services, { namespace, name: "web-west" });
    const fieldManager = web.metadata.managedFields?.[0]?.manager ?? "";
    assert.notEqual(fieldManager, "");
    const labels = {
      ...manyLabels,
      "mirror.linkerd.io/mirrored-service": "true",
      "mirror.linkerd.io/cluster-name": "west",
      "mirror.linkerd.io/headless-mirror-svc-name": "huge-west",
    };
    // The stack's own, with all labels: some 12 MiB of Services.
    const items = pods.slice(0, 60).flatMap((pod) => {
      const key = `${namespace}/${pod}-west` as const;
      return [service(key, { labels }), endpoints(key, [], { labels })];
    });
    await each(items, ({ kind, ...object }) => east.create(kinds[kind], object, { fieldManager }));
    await stack.up();
    assert.deepEqual(await contentsOf(east, namespace), [
      "web-west port1:555 port2:666 → 192.0.2.127:888",
    ]);
    await stack.assertSettled();
  });
});
