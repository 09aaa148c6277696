import assert from "node:assert/strict";

import { worldWithGateway } from "../mirroring/gateway.ts";
import { Methods } from "../mirroring/methods.ts";
import type { World } from "../mirroring/world.ts";
import { Headless } from "./headless.ts";

const namespace = "pods-away";
const config = {
  clusters: { west: {}, east: {} },
  links: [{ source: "east", target: "west", headless: true }],
};

describe("pods of a StatefulSet that are away for a moment", function () {
  this.timeout("3m");

  let world: World;
  let stack: Methods;
  let headless: Headless;
  let uids: Readonly<Record<string, string | undefined>>;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    const { west, east } = world.kube;
    headless = await Headless.create(west, east, namespace, hosts(0, 3));
    await headless.createStatefulSet({ replicas: 3 });
    stack = await Methods.create(world, namespace, config);
  });

  beforeEach(async () => {
    await headless.patchStatefulSet({ replicas: 3, ordinals: null });
    await headless.list(hosts(0, 3));
    await stack.up();
    uids = await headless.mirrors();
    assert.deepEqual(Object.keys(uids), hosts(0, 3));
  });

  it("keep their mirrors while one is in the Endpoints neither as ready nor as not ready", async () => {
    await headless.list(["db-0", "db-2"]);
    await assertKept();
  });

  it("keep their mirrors while the Endpoints list none", async () => {
    await headless.list([]);
    await assertKept();
  });

  it("keep their mirrors while there are no Endpoints", async () => {
    await headless.removeEndpoints();
    try {
      await assertKept();
    } finally {
      await headless.createEndpoints(hosts(0, 3));
    }
  });

  it("lose their mirrors when the StatefulSet is scaled down, and the others keep theirs", async () => {
    await headless.patchStatefulSet({ replicas: 1 });
    await headless.list([]);
    await stack.up();
    assert.deepEqual(await headless.mirrors(), { "db-0": uids["db-0"] });
    await stack.assertSettled();
  });

  it("are counted from the StatefulSet's first ordinal", async () => {
    await headless.patchStatefulSet({ replicas: 2, ordinals: { start: 2 } });
    await headless.list(["db-3"]);
    await stack.up();
    const { "db-2": away, "db-3": there, ...others } = await headless.mirrors();
    assert.deepEqual(others, {});
    assert.equal(away, uids["db-2"]);
    assert.notEqual(there, undefined);
  });

  /** However often it runs meanwhile. */
  async function assertKept(): Promise<void> {
    for (let runs = 0; runs < 3; runs += 1) await stack.up();
    assert.deepEqual(await headless.mirrors(), uids);
    assert.deepEqual(await headless.resolvable(), hosts(0, 3));
  }
});

function hosts(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `db-${String(from + index)}`);
}
