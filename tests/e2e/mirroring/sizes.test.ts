import assert from "node:assert/strict";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import { installGateway } from "./gateway.ts";
import {
  endpoints,
  exported,
  exportedService,
  type Item,
  kinds,
  podPorts,
  service,
} from "./objects.ts";
import { Methods } from "./methods.ts";
import { create, createNamespaces, each, emptyBed, type SharedBed } from "./shared-bed.ts";
import { servicesIn } from "./live.ts";

const namespace = "sizes";

/** 2,000 labels, in about 200 KiB: more than any page of a list has room for, if many objects have them. */
const manyLabels: StringMap = Object.fromEntries(
  Array.from({ length: 2_000 }, (_, index) => [
    `example.com/label-${String(index)}`,
    "x".repeat(63),
  ]),
);

/** As many mirrors of an earlier version, which copied all labels, as make some 12 MiB of Services. */
const leftOver = Array.from({ length: 60 }, (_, index) => `pod-${String(index)}-west`);

/** One Service of a target must not be able to make its source unreadable. */
describe("a headless Service with 2,000 labels and 400 pods, on real API servers", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Methods;

  before(async () => {
    shared = await emptyBed();
    const { west, east } = shared.kube;
    await installGateway(west);
    await createNamespaces(east, [namespace]);
    const labels = { ...manyLabels, ...exported };
    await create(west, [
      ...exportedService(`${namespace}/web`),
      service(`${namespace}/huge`, { labels }, { clusterIP: "None" }),
      endpoints(`${namespace}/huge`, [{ addresses: fourHundredPods, ports: podPorts }]),
    ]);
    stack = await Methods.create(shared, namespace, {
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
    await leaveBehind();
    await stack.up();
    assert.deepEqual(await servicesIn(shared.kube.east, namespace), ["web-west"]);
    await stack.assertSettled();
  });

  it("has them deleted by destroy as well", async () => {
    await leaveBehind();
    await stack.destroy();
    assert.deepEqual(await servicesIn(shared.kube.east, namespace), []);
    assert.deepEqual(await shared.kube.east.list(resources.endpoints, { namespace }), []);
  });

  /** Writes the mirrors of its pods with all its labels, as the stack's own. */
  async function leaveBehind(): Promise<void> {
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
    const items = leftOver.flatMap((name): Item[] => [
      service(`${namespace}/${name}`, { labels }),
      endpoints(`${namespace}/${name}`, [], { labels }),
    ]);
    await each(items, ({ kind, object }) => east.create(kinds[kind], object, { fieldManager }));
  }
});

const fourHundredPods = Array.from({ length: 400 }, (_, index) => ({
  ip: `10.9.${String(Math.floor(index / 250))}.${String((index % 250) + 1)}`,
  hostname: `pod-${String(index)}`,
}));
