import assert from "node:assert/strict";

import { bounds } from "../../../engine/kubernetes/objects/bounds.ts";
import { bytesOf } from "../../../engine/kubernetes/objects/checks.ts";
import { endpoints, service } from "../../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { exportedHeadless, exportedService } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { Stack } from "./stack.ts";
import { servicesIn } from "./view.ts";

const namespace = "sizes";

/** 2,000 labels, approximately 200 KiB: more than any page of a list has room for, if many objects have them. */
const manyLabels = Object.fromEntries(
  Array.from({ length: 2_000 }, (_, index) => [`example.com/label-${index}`, "x".repeat(63)]),
);
const pods = Array.from({ length: 400 }, (_, index) => `pod-${index}`);

/** One Service of a target must not be able to make its source unreadable. */
describe("a headless Service with 2,000 labels and 400 pods, on real API servers", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;

  before(async () => {
    shared = await bedWithGateway(namespace);
    await create(shared.kube.west, [
      ...exportedService(`${namespace}/web`),
      ...exportedHeadless(`${namespace}/huge`, pods, { labels: manyLabels }),
    ]);
    stack = await Stack.create(shared, namespace, {
      clusters: { west: {}, east: {} },
      links: [{ source: "east", target: "west", headless: true, allowDeletions: true }],
    });
  });

  it("is skipped with a reason, and the others are mirrored", async () => {
    const { text } = await stack.up();
    assert.match(text, /sizes\/huge is not mirrored \(TooLarge\): .*labels.*128/);
    assert.deepEqual(await servicesIn(shared.kube.east, namespace), ["web-west"]);
    await stack.assertSettled();
  });
});

/** As many labels as a mirror may have, in nearly as many bytes. */
const largest = Object.fromEntries(
  Array.from({ length: 120 }, (_, index) => [
    `${"x".repeat(200)}.${index}/${"x".repeat(60)}`,
    "x".repeat(60),
  ]),
);

describe("a target that exports as much as a link may have, on real API servers", function () {
  this.timeout("20m");

  it("leaves its source readable, and is cleaned up", async () => {
    const shared = await bedWithGateway(namespace);
    const { east, west } = shared.kube;
    const keys = Array.from({ length: 260 }, (_, index) => `${namespace}/web-${index}` as const);
    await create(
      west,
      keys.flatMap((key) => exportedService(key, { labels: largest })),
    );
    const stack = await Stack.create(shared, `${namespace}-many`, {
      clusters: { west: {}, east: {} },
      links: [{ source: "east", target: "west", allowDeletions: true }],
    });
    const { text } = await stack.up();
    assert.match(text, /not mirrored \(TooManyMirrors\): .*more than 83,886,080 bytes on east/);
    const labelSelector = "mirror.linkerd.io/cluster-name=west";
    const all = await Promise.all([
      east.list(resources.services, { labelSelector }),
      east.list(resources.endpoints, { labelSelector }),
    ]);
    const counted = [
      ...all[0].map((each) => bytesOf(service, each)),
      ...all[1].map((each) => bytesOf(endpoints, each)),
    ].reduce((sum, each) => sum + each, 0);
    assert.ok(counted <= bounds.linkBytes.most, `${counted} bytes`);
    assert.ok(counted > 0.95 * bounds.linkBytes.most, `${counted} bytes`);
    await stack.run("destroy");
    assert.deepEqual(await servicesIn(east, namespace), []);
  });
});
