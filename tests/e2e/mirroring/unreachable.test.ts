import assert from "node:assert/strict";

import { gatewayMirror, nothing, together } from "./mirrors.ts";
import { installGateway, worldWithGateway } from "./gateway.ts";
import { exportedService } from "./objects.ts";
import { Methods } from "./methods.ts";
import { note } from "../../simulation/preview.ts";
import { contentsOf } from "./view.ts";
import { create, type World } from "./world.ts";

const namespace = "outage";
const northern = { addresses: ["192.0.2.129"], port: 889, identity: "gateway-north" };

const clusters = { west: {}, east: {}, north: {} };
const links = (unreachable: "keep" | "fail") => [
  { source: "east", target: "west" },
  { source: "east", target: "north", unreachable },
];

describe("a cluster that can't be reached", function () {
  this.timeout("2m");

  let world: World;
  let stack: Methods;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    const { west, north } = world.kube;
    await installGateway(north, northern);
    await create(west, exportedService(`${namespace}/web`));
    await create(north, exportedService(`${namespace}/web`));
    stack = await Methods.create(world, "outage", { clusters, links: links("keep") });
  });

  it("two links into one cluster mirror Services of the same name side by side", async () => {
    await stack.upAsPreviewed();
    assert.deepEqual(await contentsOf(world, namespace), together(ofWest("web"), ofNorth));
  });

  it("keeps the mirrors of a target that is gone, says why, and the other link goes on", async () => {
    await world.bed.clusters.north.cut();
    await create(world.kube.west, exportedService(`${namespace}/later`));
    assert.match((await stack.preview()).text, reachedNot);
    assert.deepEqual(Object.keys((await stack.previewed()).comes), [`${namespace}/later-west`]);
    assert.match((await stack.up()).text, reachedNot);
    assert.deepEqual(await meanwhile(), together(ofWest("web"), ofWest("later"), kept));
  });

  it("says so again, and writes nothing, for as long as it lasts", async () => {
    const { text, writes } = await stack.up();
    assert.match(text, reachedNot);
    assert.deepEqual(writes, []);
    await stack.previewNothing();
  });

  it("refreshes without any cluster, as what there is the next check finds", async () => {
    await stack.refresh();
    assert.deepEqual(await meanwhile(), together(ofWest("web"), ofWest("later"), kept));
  });

  it("fails a run whose link says unreachable: fail, and writes nothing of that link", async () => {
    await stack.configure({ clusters, links: links("fail") });
    await create(world.kube.west, exportedService(`${namespace}/too-late`));
    const { text, writes } = await stack.up({ fails: true });
    assert.match(
      text,
      /cluster north can't be reached at https:\S+ to list \S+: the connection was refused/,
    );
    // Without a preview the other link may be through before this one is found out.
    assert.deepEqual(
      writes.filter((write) => write.endsWith("-north")),
      [],
    );
  });

  it("goes on where it was once the target is back", async () => {
    await world.bed.clusters.north.restore();
    await stack.configure({ clusters, links: links("keep") });
    const { text } = await stack.up();
    assert.doesNotMatch(text, reachedNot);
    assert.deepEqual(
      await contentsOf(world, namespace),
      together(ofWest("web"), ofWest("later"), ofWest("too-late"), ofNorth),
    );
    await stack.assertSettled();
  });

  it("keeps everything, and the state, when the source itself is gone", async () => {
    await world.bed.clusters.east.cut();
    const { text } = await stack.up();
    assert.match(text, /its mirrors stay as they are, because cluster east can't be reached/);
    const destroyed = await stack.destroy({ fails: true });
    assert.match(destroyed.text, /cluster east can't be reached/);
    await world.bed.clusters.east.restore();
    await stack.up();
    await stack.assertSettled();
  });

  it("destroys everything without the target", async () => {
    await world.bed.clusters.north.cut();
    await stack.destroy();
    await world.bed.clusters.north.restore();
    assert.deepEqual(await contentsOf(world, namespace), nothing);
  });

  /** Resource versions of north cannot be told while it is gone. */
  const meanwhile = () => contentsOf(world, namespace, ["west"]);
});

const reachedNot = new RegExp(
  `${note("east", "north")}its mirrors stay as they are, because cluster north can't be reached at https:\\S+ to list \\S+: the connection was refused`,
);

const ofWest = (service: string) => gatewayMirror({ namespace, service });
const north = { namespace, service: "web", target: "north", gateway: northern };
const ofNorth = gatewayMirror(north);
const kept = gatewayMirror({ ...north, version: "an older one" });
