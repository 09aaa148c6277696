import assert from "node:assert/strict";
import type { Kubernetes } from "../../engine/kubernetes/client/interface.ts";
import type { ObjectKey, Service } from "../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { annotation } from "../../engine/mirroring/model/vocabulary.ts";
import { until } from "../../testbed/bed.ts";
import { nameOf, patchService, relabel, removeService } from "./mirroring/changes.ts";
import { Methods } from "./mirroring/methods.ts";
import { type Metadata, service } from "./mirroring/objects.ts";
import type { Run } from "./mirroring/operations.ts";
import { clusterNames, create, emptyWorld, type World } from "./mirroring/world.ts";

const namespace = "mc-demo";
const member = { "mirror.linkerd.io/federated": "member" };
const list = annotation.remoteMembers;

function config(clusters: readonly string[], ...targets: readonly string[]) {
  return {
    clusters: Object.fromEntries(clusters.map((name) => [name, {}])),
    links: targets.map((target) => ({ source: "west", target, gateway: false })),
  };
}

const key = (name: string): ObjectKey => `${namespace}/${name}`;

async function add(kube: Kubernetes, name: string, metadata: Metadata, spec: object = {}) {
  const ports = [{ name: "http", port: 8080 }];
  await create(kube, [service(key(name), metadata, { ports, ...spec })]);
}

/** Linkerd's guide to federated services, and what can come of it. Each test goes on from the one before. */
describe("federated Services on three real clusters", function () {
  this.timeout("20m");

  let world: World;
  let stack: Methods;

  before(async () => {
    world = await emptyWorld();
    const { west, east, north } = world.kube;
    for (const name of clusterNames)
      await add(world.kube[name], "bb", { labels: { ...member, of: name } });
    const both = { ...member, "mirror.linkerd.io/exported": "remote-discovery" };
    await add(east, "both", { labels: both });
    await add(east, "set", { labels: member }, { clusterIP: "None" });
    await add(east, "own", { labels: member });
    await add(west, "own-federated", {});
    await add(east, "ports", { labels: member });
    const metrics = { ports: [{ name: "metrics", port: 9090 }] };
    await add(north, "ports", { labels: member }, metrics);
    // Linkerd's controller has been here before, for a cluster that is none of this stack's.
    await add(west, "old-federated", {
      labels: { "mirror.linkerd.io/mirrored-service": "true" },
      annotations: { [list]: "old@other,old@east" },
    });
    stack = await Methods.create(world, "federated", config(clusterNames, "east", "north"));
  });

  const serviceIn = (kube: Kubernetes, name: string): Promise<Service | undefined> =>
    kube.find(resources.services, nameOf(key(name)));

  /** `bb@east,bb@north local bb`; undefined where there is no such Service. */
  async function membersOf(name: string): Promise<string | undefined> {
    const service = await serviceIn(world.kube.west, `${name}-federated`);
    if (service === undefined) return undefined;
    const { [list]: remote = "", [annotation.localMember]: local } =
      service.metadata.annotations ?? {};
    return remote + (local === undefined ? "" : ` local ${local}`);
  }

  const up = (): Promise<Run> => stack.up();

  it("are previewed member by member, with whom a name or ports stand in the way", async () => {
    const { text } = await stack.preview();
    const { comes, changes } = await stack.previewed();
    assert.equal(
      comes["mc-demo/bb-federated"],
      "federated Service of bb@east, bb@north, local bb: http 8080/TCP",
    );
    // Once east has left it, nothing about it is this stack's.
    assert.equal(comes["mc-demo/old-federated"], undefined);
    assert.deepEqual(changes, {
      "mc-demo/old-federated": {
        [`annotation ${list}`]: '"old@other,old@east" → "old@other"',
      },
    });
    assert.match(
      text,
      /mc-demo\/ports: its ports are those of east \(http 8080\/TCP\), and differ from metrics 9090\/TCP on north:/,
    );
    assert.match(text, /mc-demo\/set of east is not mirrored \(HeadlessMember\)/);
    assert.match(
      text,
      /mc-demo\/own is not mirrored \(NotOurs\): west already has a foreign Service mc-demo\/own-federated:/,
    );
  });

  it("come where the links lead to, with the local member's labels and everybody in their lists", async () => {
    const { west, east, north } = world.kube;
    const before = await serviceIn(west, "own-federated");
    await up();
    const bb = await serviceIn(west, "bb-federated");
    assert.deepEqual(bb?.metadata.labels, {
      "mirror.linkerd.io/mirrored-service": "true",
      of: "west",
    });
    assert.deepEqual(bb.metadata.annotations, {
      [list]: "bb@east,bb@north",
      [annotation.localMember]: "bb",
    });
    assert.deepEqual(bb.spec.ports, [
      { name: "http", protocol: "TCP", port: 8080, targetPort: 8080 },
    ]);
    assert.equal(bb.spec.selector, undefined);
    const endpoints = await west.find(resources.endpoints, nameOf(key("bb-federated")));
    assert.equal(endpoints, undefined);
    for (const cluster of [east, north])
      assert.equal(await serviceIn(cluster, "bb-federated"), undefined);
    assert.deepEqual(await serviceIn(west, "own-federated"), before);
  });

  it("come at once for a Service that is exported too, beside its mirror", async () => {
    assert.equal(await membersOf("both"), "both@east");
    const mirror = await serviceIn(world.kube.west, "both-east");
    assert.equal(mirror?.metadata.labels?.["multicluster.linkerd.io/remote-service"], "both");
  });

  it("are taken over from Linkerd's controller, and keep members of clusters that are none of ours", async () => {
    assert.equal(await membersOf("old"), "old@other");
    assert.equal(await membersOf("set"), undefined);
  });

  it("need nothing in the next run", async () => {
    await stack.assertSettled();
  });

  it("lose a member with its label, of which the preview says that and nothing else", async () => {
    await relabel(world.kube.north, key("bb"), { "mirror.linkerd.io/federated": null });
    const { previewed, run } = await stack.upAsPreviewed();
    assert.deepEqual(previewed.changes, {
      "mc-demo/bb-federated": { [`annotation ${list}`]: '"bb@east,bb@north" → "bb@east"' },
    });
    assert.deepEqual(run.writes, ["update services mc-demo/bb-federated"]);
    assert.equal(await membersOf("bb"), "bb@east local bb");
  });

  it("have the labels of a remote member once the local one has left", async () => {
    await relabel(world.kube.north, key("bb"), member);
    await relabel(world.kube.west, key("bb"), { "mirror.linkerd.io/federated": null });
    await up();
    assert.equal(await membersOf("bb"), "bb@east,bb@north");
    const service = await serviceIn(world.kube.west, "bb-federated");
    assert.equal(service?.metadata.labels?.of, "east");
  });

  it("are put right where somebody has edited them, a selector and its Endpoints included", async () => {
    const { west } = world.kube;
    await patchService(west, key("bb-federated"), {
      metadata: { annotations: { [list]: "bb@east" } },
      spec: { selector: { app: "bb" } },
    });
    await until("Endpoints by the selector", [], async () => {
      return west.find(resources.endpoints, nameOf(key("bb-federated")));
    });
    await up();
    assert.equal(await membersOf("bb"), "bb@east,bb@north");
    assert.equal((await serviceIn(west, "bb-federated"))?.spec.selector, undefined);
    await up();
    await stack.assertSettled();
  });

  it("keep the members of a cluster that is out of reach, while others come and go", async () => {
    const { north } = world.bed.clusters;
    const { east } = world.kube;
    await north.cut();
    try {
      await relabel(east, key("bb"), { "mirror.linkerd.io/federated": null });
      assert.match((await up()).text, /west <- north: its mirrors stay as they are, because /);
      assert.equal(await membersOf("bb"), "bb@north");
    } finally {
      await north.restore();
    }
    await relabel(east, key("bb"), member);
    await up();
    assert.equal(await membersOf("bb"), "bb@north,bb@east");
  });

  it("lose the members of a link that is removed", async () => {
    await stack.configure(config(clusterNames, "east"));
    await up();
    assert.equal(await membersOf("bb"), "bb@east");
    assert.equal(await membersOf("ports"), "ports@east");
    await up();
    await stack.assertSettled();
  });

  it("lose the members of a cluster that is removed, in a run that begins with its link's source out of reach", async () => {
    await stack.configure(config(["west", "north"], "north"));
    await world.bed.clusters.west.cut();
    try {
      assert.match((await up()).text, /west: its mirrors stay as they are, because /);
    } finally {
      await world.bed.clusters.west.restore();
    }
    await up();
    assert.equal(await membersOf("bb"), "bb@north");
    assert.equal(await serviceIn(world.kube.west, "both-federated"), undefined);
    assert.equal(await membersOf("old"), "old@other");
  });

  it("go with their last member", async () => {
    await removeService(world.kube.north, key("bb"));
    await up();
    assert.equal(await membersOf("bb"), undefined);
  });

  it("go with the stack, which leaves what is not its own", async () => {
    await relabel(world.kube.west, key("bb"), member);
    await up();
    assert.equal(await membersOf("bb"), " local bb");
    await stack.destroy();
    const left = await world.kube.west.list(resources.services, { namespace });
    assert.deepEqual(left.map(({ metadata }) => metadata.name).sort(), [
      "bb",
      "old-federated",
      "own-federated",
    ]);
    assert.equal(await membersOf("old"), "old@other");
  });
});
