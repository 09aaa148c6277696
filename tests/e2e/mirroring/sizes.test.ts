import assert from "node:assert/strict";

import { bounds } from "../../../engine/kubernetes/objects/bounds.ts";
import { bytesOf } from "../../../engine/kubernetes/objects/checks.ts";
import { endpoints, service } from "../../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { exportedService } from "./objects.ts";
import { bedWithGateway, create } from "./shared-bed.ts";
import { Stack } from "./stack.ts";
import { servicesIn } from "./view.ts";

const namespace = "sizes";

/** As many labels as a mirror may have, in nearly as many bytes. */
const largest = Object.fromEntries(
  Array.from({ length: 120 }, (_, index) => [
    `${"x".repeat(200)}.${index}/${"x".repeat(60)}`,
    "x".repeat(60),
  ]),
);

/** A source must stay readable, whatever its target exports. */
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
    const stack = await Stack.create(shared, namespace, {
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
