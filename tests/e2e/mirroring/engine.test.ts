import assert from "node:assert/strict";

import type { AuditedRequest } from "../../../testbed/bed.ts";
import { installGateway } from "./gateway.ts";
import { gatewayMirror } from "./mirrors.ts";
import { exportedService } from "./objects.ts";
import { Stack } from "./stack.ts";
import { contentsOf } from "./view.ts";
import { create, createNamespaces, emptyWorld, type World } from "./world.ts";

const namespace = "engine";
const clusters = { west: {}, east: {} };
const link = { source: "east", target: "west" };

/** What comes of a run as a whole, which is the engine's to decide. Each test goes on from the one before. */
describe("a stack in the real engine", function () {
  this.timeout("2m");

  let world: World;
  let stack: Stack;

  before(async function () {
    this.timeout("20m");
    world = await emptyWorld();
    await installGateway(world.kube.west);
    await createNamespaces(world.kube.east, [namespace]);
    await create(world.kube.west, exportedService(`${namespace}/web`));
    stack = await Stack.create(world, "engine", { clusters, links: [link] });
  });

  it("names all mistakes in the config at once, and prints no stack trace", async () => {
    const links = [
      { source: "east", target: "wset", headles: true, readiness: "maybe" },
      link,
      link,
    ];
    await stack.configure({ clusters, links });
    for (const operation of ["preview", "up"] as const) {
      const { text, writes } = await stack[operation]({ fails: true });
      for (const sentence of [
        /linkerd-multicluster:links\[0\]\.target is "wset"; it must be one of/,
        /linkerd-multicluster:links\[0\]\.headles /,
        /linkerd-multicluster:links\[0\]\.readiness is "maybe"; it must be ignore or follow/,
        /linkerd-multicluster:links\[2\] links source "east" to target "west" again/,
      ])
        assert.match(text, sentence);
      assert.deepEqual(writes, []);
    }
    await stack.configure({ clusters, links: [link] });
  });

  it("ends well while a target is out of reach, and keeps what it knows of it", async () => {
    const { requests } = await stack.up();
    // One process plans and writes, and all resources in it share what it has read.
    const isList = ({ verb, resource }: AuditedRequest) =>
      `${verb} ${resource}` === "list services";
    for (const cluster of [requests.west, requests.east])
      assert.equal(cluster.filter(isList).length, 1);
    await world.bed.clusters.west.cut();
    assert.match((await stack.preview()).text, /cluster west can't be reached/);
    assert.match((await stack.up()).text, /cluster west can't be reached/);
    await stack.refresh();
  });

  it("fails then where the link says unreachable: fail, in a sentence", async () => {
    await stack.configure({ clusters, links: [{ ...link, unreachable: "fail" }] });
    const { text } = await stack.up({ fails: true });
    assert.match(text, /cluster west can't be reached at https:\S+ to list \S+: the connection/);
    assert.deepEqual(await contentsOf(world, namespace, []), mirror("an older one"));
    await world.bed.clusters.west.restore();
  });

  it("fails to destroy what is in a source out of reach, and does so later", async () => {
    await stack.configure({ clusters, links: [link] });
    await world.bed.clusters.east.cut();
    assert.match((await stack.destroy({ fails: true })).text, /cluster east can't be reached/);
    await world.bed.clusters.east.restore();
    await stack.up();
    await stack.assertSettled();
    assert.deepEqual(await contentsOf(world, namespace), mirror());
  });
});

const mirror = (version?: string) =>
  gatewayMirror({ namespace, service: "web", ...(version !== undefined && { version }) });
