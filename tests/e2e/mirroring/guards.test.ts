import assert from "node:assert/strict";
import { join } from "node:path";

import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { relabel, unexport } from "./changes.ts";
import { worldWithGateway } from "./gateway.ts";
import { exportedService, kinds } from "./objects.ts";
import { Methods } from "./methods.ts";
import { create, each, type World } from "./world.ts";

const namespace = "guards";
const names = Array.from({ length: 12 }, (_, index) => `service-${String(index)}`);
const link = { source: "east", target: "west" };

describe("what stops a run before it does harm", function () {
  this.timeout("2m");

  let world: World;
  let stack: Methods;
  let kubeconfig: string;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    const { west } = world.kube;
    await create(
      west,
      names.flatMap((name) => exportedService(`${namespace}/${name}`)),
    );
    kubeconfig = join(world.bed.folder, "guards.kubeconfig");
    await pointAt("west");
    stack = await Methods.create(world, "guards", { clusters: clusters(), links: [link] });
    await stack.up();
  });

  it("refuses a context that the kubeconfig does not have, and names those it has", async () => {
    const wrong = { ...clusters(), west: { context: "wets" } };
    const { text } = await refused(wrong, { stopsThePreview: true });
    assert.match(
      text,
      /cluster west: no context wets in \S+; the contexts there are east, north, west/,
    );
  });

  it("refuses a link whose two contexts lead to one and the same cluster", async () => {
    await pointAt("east");
    const { text } = await refused(clusters());
    assert.match(
      text,
      /east and west are the same cluster \(its kube-system has UID \S+\): fix the context of one end of link east\/west/,
    );
  });

  it("refuses a context that leads to another cluster than last time, rather than count deletions", async () => {
    await pointAt("north");
    const { text } = await refused(clusters());
    assert.match(text, /context west of cluster west leads to another cluster than before/);
    assert.doesNotMatch(text, /allowDeletions/);
    await pointAt("west");
    // After a run that has failed the engine wants another one.
    assert.deepEqual((await stack.up()).writes, []);
    await stack.assertSettled();
  });

  it("refuses to delete more than half of a link's mirrors, and says how to allow it", async () => {
    await each(names.slice(0, 7), (name) =>
      relabel(world.kube.west, `${namespace}/${name}`, unexport),
    );
    const { text } = await refused(clusters());
    assert.match(
      text,
      /link east\/west would delete 7 of its 12 mirrors on east, and maxDeletions \(50%\) allows 6/,
    );
    assert.match(text, /set allowDeletions: true on the link for one run/);
  });

  it("deletes them where the link allows it", async () => {
    await stack.configure({ clusters: clusters(), links: [{ ...link, allowDeletions: true }] });
    const { previewed } = await stack.upAsPreviewed();
    assert.equal(Object.keys(previewed.goes).length, 7);
    assert.equal((await mirrors()).length, 5);
  });

  it("keeps to a maxDeletions that is a number, however few mirrors there are", async () => {
    await relabel(world.kube.west, `${namespace}/service-7`, unexport);
    const { text } = await refused(clusters(), { options: { maxDeletions: 0 } });
    assert.match(text, /would delete 1 of its 5 mirrors on east, and maxDeletions \(0\) allows 0/);
    await stack.configure({ clusters: clusters(), links: [{ ...link, maxDeletions: 1 }] });
    await stack.up();
    assert.equal((await mirrors()).length, 4);
  });

  /** An update that fails and leaves every mirror as it is, as its preview says. */
  async function refused(
    clusters: object,
    { options = {}, stopsThePreview = false }: Refused = {},
  ): Promise<{ readonly text: string }> {
    await stack.configure({ clusters, links: [{ ...link, ...options }] });
    const before = await mirrors();
    const { text } = await stack.preview({ fails: stopsThePreview });
    assert.deepEqual((await stack.up({ fails: true })).writes, []);
    assert.deepEqual(await mirrors(), before);
    return { text };
  }

  function mirrors() {
    return world.kube.east.list(kinds.Service, { namespace });
  }

  /** Where the context `west` of the file leads. */
  async function pointAt(name: "west" | "east" | "north"): Promise<void> {
    await writeKubeconfig(kubeconfig, [{ name: "west", access: world.bed.clusters[name].access }]);
  }

  function clusters() {
    return { west: { kubeconfig }, east: {} };
  }
});

interface Refused {
  /** Of the link. */
  readonly options?: object;
  readonly stopsThePreview?: boolean;
}
