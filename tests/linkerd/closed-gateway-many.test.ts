import assert from "node:assert/strict";

import { programOnPath } from "../bed/path.ts";
import { newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { gateOf, routes } from "./accepted-routes.ts";
import { type PolicyController, startPolicyController } from "./policy-controller.ts";
import { configOf, exported, meshConfig, realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";

const isHere = (await programOnPath("linkerd-policy-controller")) !== undefined;
const note = isHere ? skipNote : ", skipped: linkerd-policy-controller is not on PATH";

/** A namespace has room for about 1,900 Services in its pods' environment. */
const namespaces = ["shop", "bank", "news", "play", "work"];
const each = 1_000;

describe(`a closed gateway with 5,000 exports, beside Linkerd's policy controller${note}`, function () {
  this.timeout("40m");

  const real = realBed(["west", "east"]);
  let stack: PulumiStack;
  let controller: PolicyController | undefined;

  before(async function () {
    if (!isHere) return this.skip();
    const { west, east } = real.clusters;
    for (const cluster of [west, east])
      for (const name of namespaces) await clusters.addNamespace(cluster, name);
    stack = await newStack(real.bed, "many", config("open"));
    await up();
    controller = await startPolicyController(real.bed, "west");
  });
  after(() => controller?.stop());

  it("admits their clients by 313 routes, which the controller accepts one by one", async () => {
    const { west } = real.clusters;
    for (const namespace of namespaces) {
      const names = Array.from({ length: each }, (_, number) => `web-${number}`);
      while (names.length > 0)
        await Promise.all(
          names.splice(0, 50).map((name) => clusters.addService(west, namespace, name, exported)),
        );
    }
    const mirrored = await timed(up);
    await stack.configure(config("exported"));
    const closed = await timed(up);
    const [isClosed, names] = await gateOf(west);
    assert.deepEqual([isClosed, names.length], [true, namespaces.length * each]);
    const { body } = await west.request("GET", routes);
    assert.equal((body as { readonly items: readonly unknown[] }).items.length, 314);
    console.log(
      `      mirrored in ${mirrored} s, closed in ${closed} s more; the controller has ${await controller?.memory()} MB`,
    );
  });

  it("admits clients to one more", async () => {
    const { west } = real.clusters;
    await clusters.addService(west, "shop", "one-more", exported);
    console.log(`      in a run of ${await timed(up)} s`);
    const [, names] = await gateOf(west);
    assert.ok(names.includes("one-more"));
  });

  const up = () => stack.pulumi("up", "--yes", "--skip-preview");

  function config(gatewayAccess: string) {
    const { west, east } = real.clusters;
    return meshConfig(real.clusters, {
      clusters: { west: { ...configOf(west), gatewayAccess }, east: configOf(east) },
      links: [{ source: "east", target: "west", maxMirrors: 6_000 }],
    });
  }
});

async function timed(action: () => Promise<unknown>): Promise<string> {
  const begun = performance.now();
  await action();
  return ((performance.now() - begun) / 1000).toFixed(1);
}
