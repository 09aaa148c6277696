import assert from "node:assert/strict";
import type { Kubernetes } from "../../engine/kubernetes/client/interface.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { Methods } from "./mirroring/methods.ts";
import { exported, exportedHeadless, service } from "./mirroring/objects.ts";
import { note } from "../simulation/preview.ts";
import { create, createNamespaces, emptyWorld, type World } from "./mirroring/world.ts";

const longest = "w".repeat(62);
const gateway = { addresses: ["192.0.2.1"], port: 4143, identity: "gateway" };

async function servicesIn(kube: Kubernetes, namespace: string): Promise<string[]> {
  const services = await kube.list(resources.services, { namespace });
  return services.map(({ metadata }) => metadata.name).sort();
}

describe("names that mirrors cannot have, across links from real clusters", function () {
  this.timeout("20m");

  let world: World;
  let stack: Methods;

  before(async () => {
    world = await emptyWorld();
    const { west, east, north } = world.kube;
    await create(west, [
      service("names/a-b", { labels: exported }),
      service("names/taken", { labels: exported }),
      service(`names/${longest}`, { labels: exported }),
      ...exportedHeadless("names/db", ["db-0", "pod-0"]),
      ...exportedHeadless("names/copy", ["pod-0"]),
      service("names/db-0", { labels: exported }),
    ]);
    await create(north, [service("names/a", { labels: exported })]);
    await create(east, [service("names/taken-c", {})]);
    stack = await Methods.create(world, "names", {
      clusters: { east: {}, c: { context: "west" }, "b-c": { context: "north" } },
      linkDefaults: { gateway },
      links: ["c", "b-c"].map((target) => ({ source: "east", target, headless: true })),
    });
  });

  const sentences = [
    "names/db pod db-0, names/db-0: names/db-0 of cluster c and pod db-0 of names/db of cluster c would both be named names/db-0-c on east: rename one of them",
    "names/copy pod pod-0, names/db pod pod-0: pod pod-0 of names/copy of cluster c and pod pod-0 of names/db of cluster c would both be named names/pod-0-c on east: rename one of them",
    `${note("east", "c")}5 are not mirrored (CollidingName): names/a-b: names/a-b of cluster c would be named names/a-b-c on east, and names that end in -b-c are for the mirrors of cluster b-c: rename it`,
    `${note("east", "c")}names/taken is not mirrored (NotOurs): east already has a foreign Service names/taken-c: rename or delete it, or rename what is exported`,
    `${note("east", "c")}names/${longest} is not mirrored (NameTooLong): the mirror's name ${longest}-c has 64 characters and Kubernetes allows 63: shorten the name of the Service, the pod or the cluster`,
  ];

  it("are each told in one sentence with both culprits, before anything is written", async () => {
    const { text } = await stack.preview();
    for (const sentence of sentences) assert.ok(text.includes(sentence), `${sentence}\n${text}`);
  });

  it("are given to none but the cluster that they are for, and all the rest is mirrored", async () => {
    await stack.up();
    const there = await servicesIn(world.kube.east, "names");
    assert.deepEqual(there, ["a-b-c", "copy-c", "db-c", "taken-c"]);
    await stack.assertSettled();
  });
});

describe("clusters that are linked both ways by labels of the Services' own", function () {
  this.timeout("20m");

  it("never mirror a mirror, however often it runs", async () => {
    const world = await emptyWorld();
    const { west, east } = world.kube;
    for (const kube of [west, east]) await createNamespaces(kube, ["both"]);
    await create(west, [service("both/web", { labels: { app: "web" } })]);
    await create(east, [service("both/db", { labels: { app: "db" } })]);
    const everything = { matchExpressions: [{ key: "app", operator: "Exists" }] };
    const stack = await Methods.create(world, "both", {
      clusters: { west: {}, east: {} },
      topology: "mesh",
      linkDefaults: { gateway, selector: everything, federatedServiceSelector: everything },
    });
    const assertMirrored = async () => {
      const both = ["db-federated", "web-federated"];
      assert.deepEqual(await servicesIn(west, "both"), [...both, "db-east", "web"].sort());
      assert.deepEqual(await servicesIn(east, "both"), [...both, "db", "web-west"].sort());
    };
    for (let run = 1; run <= 2; run++) {
      await stack.up();
      await assertMirrored();
    }
    await stack.assertSettled();
    await assertMirrored();
  });
});
