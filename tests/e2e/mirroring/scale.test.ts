import assert from "node:assert/strict";

import { worldWithGateway } from "./gateway.ts";
import { exportedService, kinds } from "./objects.ts";
import { Methods } from "./methods.ts";
import { create, type World } from "./world.ts";

const namespace = "thousand";
const total = 1000;
const names = Array.from({ length: total }, (_, index) => `service-${String(index)}`);

describe("a thousand exported Services", function () {
  this.timeout("5m");

  let world: World;
  let stack: Methods;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    const { west } = world.kube;
    await create(
      west,
      names.flatMap((name) => exportedService(`${namespace}/${name}`)),
    );
    const links = [{ source: "east", target: "west" }];
    stack = await Methods.create(world, "thousand", { clusters: { west: {}, east: {} }, links });
  });

  it("are mirrored by the first up, which says how far it has come", async () => {
    const { text, writes } = await timed("up", () => stack.up());
    assert.equal(writes.length, 2 * total);
    assert.match(text, /east: mirroring: \d+\/1000/);
    assert.equal((await mirrors()).length, total);
  });

  it("take one list of each kind in each cluster, page by page, when there is nothing to do", async () => {
    const { requests, writes } = await timed("a preview of nothing", () => stack.previewNothing());
    assert.deepEqual(writes, []);
    const { west, east } = requests;
    // The target says where its gateway is, which must not be at a node of the source.
    for (const { cluster, nodes } of [
      { cluster: west, nodes: [] },
      { cluster: east, nodes: ["list nodes"] },
    ]) {
      const reads = cluster.map(({ verb, resource }) => `${verb} ${resource}`);
      assert.deepEqual([...new Set(reads)].sort(), [
        "list endpoints",
        "list links",
        "list namespaces",
        ...nodes,
        "list servicecidrs",
        "list services",
      ]);
      assert.ok(reads.length <= 10, reads.join("\n"));
    }
  });

  it("are gone after destroy", async () => {
    await timed("destroy", () => stack.destroy());
    assert.deepEqual(await mirrors(), []);
  });

  function mirrors() {
    return world.kube.east.list(kinds.Service, { namespace });
  }
});

/** Prints how long it takes, which depends on the machine and so is not asserted. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`      ${what} of ${String(total)} Services: ${seconds} s`);
  return result;
}
