import assert from "node:assert/strict";

import { bedWithGateway } from "./gateway.ts";
import { exportedHeadless, exportedService, service } from "./objects.ts";
import { Stack } from "./stack.ts";
import { create, type SharedBed } from "./shared-bed.ts";
import { uidsIn } from "./live.ts";

const namespace = "replacement";
const member = { "mirror.linkerd.io/federated": "member" };

describe("a resource that Pulumi replaces, creating the new one and deleting the old one", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;
  let uids: Readonly<Record<string, string | undefined>>;

  before(async () => {
    shared = await bedWithGateway(namespace);
    const { west } = shared.kube;
    await create(west, [
      ...exportedService(`${namespace}/web`),
      ...exportedHeadless(`${namespace}/db`, ["db-0", "db-1"]),
      service(`${namespace}/api`, { labels: member }),
    ]);
    stack = await Stack.create(shared, "replacement", config("east"));
    await stack.up();
    uids = await uidsIn(shared.kube.east, namespace);
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
    await stack.assertSettled();
  });

  async function assertKept(): Promise<void> {
    assert.deepEqual(await uidsIn(shared.kube.east, namespace), uids);
  }
});

function config(source: string) {
  return {
    clusters: { west: {}, [source]: { context: "east" } },
    links: [{ source, target: "west", headless: true }],
  };
}
