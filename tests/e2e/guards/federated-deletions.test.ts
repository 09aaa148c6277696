import assert from "node:assert/strict";

import { relabel } from "../mirroring/changes.ts";
import { Methods } from "../mirroring/methods.ts";
import { service } from "../mirroring/objects.ts";
import { create, createNamespaces, each, emptyWorld, type World } from "../mirroring/world.ts";
import { servicesIn, versionsIn } from "./live.ts";

const namespace = "federated-deletions";
const names = Array.from({ length: 12 }, (_, index) => `service-${String(index)}`);
const member = { "mirror.linkerd.io/federated": "member" };
const clusters = { west: {}, east: {} };
const link = { source: "east", target: "west", gateway: false };

describe("the guard against many deletions, for federated Services", function () {
  this.timeout("3m");

  let world: World;
  let stack: Methods;

  before(async function () {
    this.timeout("20m");
    world = await emptyWorld();
    const { west, east } = world.kube;
    await createNamespaces(east, [namespace]);
    await create(
      west,
      names.map((name) => service(`${namespace}/${name}`, { labels: member })),
    );
    stack = await Methods.create(world, namespace, { clusters, links: [link] });
    await stack.up();
    assert.deepEqual(await servicesIn(east, namespace), names.map(federated).sort());
  });

  it("refuses to delete more than half of them at once, and says how to allow it", async () => {
    const { west, east } = world.kube;
    await each(names.slice(0, 7), (name) =>
      relabel(west, `${namespace}/${name}`, { "mirror.linkerd.io/federated": null }),
    );
    const before = await versionsIn(east, namespace);
    for (const operation of ["preview", "up"] as const) {
      const { text, writes } = await stack[operation]({ fails: operation === "up" });
      assert.match(text, /maxDeletions/);
      assert.match(text, /allowDeletions/);
      assert.deepEqual(writes, []);
    }
    assert.deepEqual(await versionsIn(east, namespace), before);
  });

  it("lets them go where the link says allowDeletions", async () => {
    await stack.configure({ clusters, links: [{ ...link, allowDeletions: true }] });
    await stack.up();
    const left = names.slice(7).map(federated).sort();
    assert.deepEqual(await servicesIn(world.kube.east, namespace), left);
  });
});

function federated(name: string): string {
  return `${name}-federated`;
}
