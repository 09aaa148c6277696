import assert from "node:assert/strict";

import { worldWithGateway } from "../mirroring/gateway.ts";
import { exportedHeadless, exportedService, service } from "../mirroring/objects.ts";
import { Stack } from "../mirroring/stack.ts";
import { create, type World } from "../mirroring/world.ts";
import { uidsIn } from "./live.ts";

const namespace = "replacement";
const member = { "mirror.linkerd.io/federated": "member" };

describe("a resource that Pulumi replaces, creating the new one and deleting the old one", function () {
  this.timeout("3m");

  let world: World;
  let stack: Stack;
  let uids: Readonly<Record<string, string | undefined>>;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    const { west } = world.kube;
    await create(west, [
      ...exportedService(`${namespace}/web`),
      ...exportedHeadless(`${namespace}/db`, ["db-0", "db-1"]),
      service(`${namespace}/api`, { labels: member }),
    ]);
    stack = await Stack.create(world, "replacement", config("east"));
  });
  beforeEach(async () => {
    await stack.up();
    uids = await uidsIn(world.kube.east, namespace);
    assert.equal(Object.keys(uids).length, 9);
  });

  it("keeps every mirror through pulumi up --replace", async () => {
    await stack.replace(await stack.dynamicResources());
    await assertKept();
  });

  it("keeps every mirror through pulumi state taint and an update", async () => {
    await stack.taint(await stack.dynamicResources());
    await stack.up();
    await assertKept();
  });

  it("keeps every mirror when the source has another name in the config", async () => {
    await stack.configure(config("est"));
    await stack.up();
    await assertKept();
  });

  async function assertKept(): Promise<void> {
    assert.deepEqual(await uidsIn(world.kube.east, namespace), uids);
    await stack.assertSettled();
  }
});

function config(source: string) {
  return {
    clusters: { west: {}, [source]: { context: "east" } },
    links: [{ source, target: "west", headless: true }],
  };
}
