import assert from "node:assert/strict";
import { join } from "node:path";

import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { Account, reading, readingDeployments, writing } from "../mirroring/account.ts";
import { worldWithGateway } from "../mirroring/gateway.ts";
import { Methods } from "../mirroring/methods.ts";
import { exportedService } from "../mirroring/objects.ts";
import { create, type World } from "../mirroring/world.ts";
import { uidsIn } from "./live.ts";

const namespace = "unread-controllers";
const links = [{ source: "east", target: "west" }];

describe("a link that is given up where Deployments may not be listed in the source", function () {
  this.timeout("3m");

  let world: World;
  let stack: Methods;
  let account: Account;
  let clusters: object;
  let uids: Readonly<Record<string, string | undefined>>;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    const { west } = world.kube;
    await create(west, exportedService(`${namespace}/web`));
    account = await Account.create(world, "east", namespace, [...reading, writing]);
    const kubeconfig = join(world.bed.folder, `${namespace}.kubeconfig`);
    const access = { ...world.bed.clusters.east.access, token: account.token };
    await writeKubeconfig(kubeconfig, [{ name: "east", access }]);
    clusters = { west: {}, east: { kubeconfig } };
    stack = await Methods.create(world, namespace, { clusters, links }, [account.token]);
  });
  beforeEach(async () => {
    await stack.configure({ clusters, links });
    await stack.up();
    uids = await uidsIn(world.kube.east, namespace);
    assert.deepEqual(Object.keys(uids), ["Endpoints web-west", "Service web-west"]);
  });
  after(() => account.remove());

  it("keeps its mirrors when it leaves the config, and the run says what to grant", async () => {
    await stack.configure({ clusters, links: [] });
    assertRefused(await stack.up({ fails: true }));
    assert.deepEqual(await uidsIn(world.kube.east, namespace), uids);
  });

  it("keeps its mirrors when the stack is destroyed, and the run says what to grant", async () => {
    assertRefused(await stack.destroy({ fails: true }));
    assert.deepEqual(await uidsIn(world.kube.east, namespace), uids);
  });

  it("takes its mirrors along once Deployments may be listed", async () => {
    await account.allow([...reading, writing, readingDeployments]);
    await stack.configure({ clusters, links: [] });
    await stack.up();
    assert.deepEqual(await uidsIn(world.kube.east, namespace), {});
    await stack.configure({ clusters, links });
    await stack.up();
    await stack.destroy();
    assert.deepEqual(await uidsIn(world.kube.east, namespace), {});
  });
});

function assertRefused({ text }: { readonly text: string }): void {
  assert.match(text, /deployments/);
  assert.doesNotMatch(text, /^\s+at \S+ \(/m);
}
