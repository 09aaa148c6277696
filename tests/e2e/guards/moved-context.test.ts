import assert from "node:assert/strict";
import { join } from "node:path";

import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { removeService } from "../mirroring/changes.ts";
import { installGateway } from "../mirroring/gateway.ts";
import { Methods } from "../mirroring/methods.ts";
import { endpoints, exportedService, type Item, pods, service } from "../mirroring/objects.ts";
import { create, createNamespaces, each, emptyWorld, type World } from "../mirroring/world.ts";
import { uidsIn, versionsIn } from "./live.ts";

const namespace = "moved";
const member = { "mirror.linkerd.io/federated": "member" };
const mirrored = { "mirror.linkerd.io/mirrored-service": "true" };
const ofWest = { ...mirrored, "mirror.linkerd.io/cluster-name": "west" };
const ofMembers = { "multicluster.linkerd.io/remote-discovery": "api@west" };

/** What another stack has mirrored into north. */
const foreign: readonly Item[] = [
  service(`${namespace}/web-west`, { labels: ofWest }),
  endpoints(`${namespace}/web-west`, pods([""]), { labels: ofWest }),
  service(`${namespace}/other-west`, { labels: ofWest }),
  service(`${namespace}/api-federated`, { labels: mirrored, annotations: ofMembers }),
];

describe("a source's context that has come to mean another cluster", function () {
  this.timeout("3m");

  let world: World;
  let stack: Methods;
  let kubeconfig: string;

  before(async function () {
    this.timeout("20m");
    world = await emptyWorld();
    const { west, east, north } = world.kube;
    await installGateway(west);
    for (const kube of [east, north]) await createNamespaces(kube, [namespace]);
    await create(west, [
      ...exportedService(`${namespace}/web`),
      service(`${namespace}/api`, { labels: member }),
    ]);
    kubeconfig = join(world.bed.folder, "moved.kubeconfig");
    await pointAt("east");
    stack = await Methods.create(world, "moved", config(true));
  });
  beforeEach(async () => {
    await pointAt("east");
    await stack.configure(config(true));
    await stack.up();
    assert.deepEqual(Object.keys(await uidsIn(world.kube.east, namespace)), [
      "Endpoints web-west",
      "Service api-federated",
      "Service web-west",
    ]);
    const { north } = world.kube;
    const left = Object.keys(await uidsIn(north, namespace)).filter((key) => /^Service/.test(key));
    await each(left, (key) => removeService(north, `${namespace}/${key.replace("Service ", "")}`));
    await create(north, foreign);
    await pointAt("north");
  });

  it("is no business of a refresh, which leaves the state as it is", async () => {
    await stack.refresh();
    await untouched(() => stack.up({ fails: true }));
    await pointAt("east");
    await stack.assertSettled();
  });

  it("is refused by a destroy, which deletes nothing in either cluster", async () => {
    await untouched(() => stack.destroy({ fails: true }));
    await pointAt("east");
    await stack.destroy();
    assert.deepEqual(await uidsIn(world.kube.east, namespace), {});
  });

  it("is refused by an update that takes the link out of the stack", async () => {
    await stack.configure(config(false));
    await untouched(() => stack.up({ fails: true }));
    await pointAt("east");
    await stack.up();
    assert.deepEqual(await uidsIn(world.kube.east, namespace), {});
  });

  /** An operation that fails with the right sentence, and writes to neither cluster. */
  async function untouched(operation: () => Promise<{ readonly text: string }>): Promise<void> {
    const { east, north } = world.kube;
    const both = () => Promise.all([versionsIn(east, namespace), versionsIn(north, namespace)]);
    const before = await both();
    const { text } = await operation();
    assert.match(text, /leads to another cluster/);
    assert.doesNotMatch(text, /^\s+at \S+ \(/m);
    assert.deepEqual(await both(), before);
  }

  function config(linked: boolean) {
    const links = linked ? [{ source: "east", target: "west" }] : [];
    return { clusters: { west: {}, east: { kubeconfig } }, links };
  }

  /** Where the context `east` of the file leads. */
  async function pointAt(name: "east" | "north"): Promise<void> {
    await writeKubeconfig(kubeconfig, [{ name: "east", access: world.bed.clusters[name].access }]);
  }
});
