import assert from "node:assert/strict";

import { exportedHeadless, exportedService } from "./objects.ts";
import { Methods } from "./methods.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { servicesIn } from "./view.ts";

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
});
