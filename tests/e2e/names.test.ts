import assert from "node:assert/strict";
import { type Bed, type Cluster, startBed } from "../../testbed/bed.ts";
import { newStack, type Stack } from "./engine.ts";
import { addNamespace, addPods, addService, serviceNames } from "./objects.ts";

const exported = { "mirror.linkerd.io/exported": "true" };
const longest = "w".repeat(62);
const gateway = { addresses: ["192.0.2.1"], port: 4143, identity: "gateway" };

async function addSet(cluster: Cluster, name: string, ...hostnames: readonly string[]) {
  await addService(cluster, "shop", name, { labels: exported, spec: { clusterIP: "None" } });
  await addPods(cluster, "shop", name, ...hostnames);
}

const servicesIn = (cluster: Cluster) => serviceNames(cluster, "shop");

describe("names that mirrors cannot have, across links from real clusters", function () {
  this.timeout("20m");

  let bed: Bed<"west" | "c" | "b-c">;
  let stack: Stack;

  before(async () => {
    const names = ["west", "c", "b-c"] as const;
    bed = await startBed({ clusters: names, runs: "controllers" });
    const { west, c, "b-c": bc } = bed.clusters;
    for (const cluster of [west, c, bc]) await addNamespace(cluster, "shop");
    await addService(c, "shop", "a-b", { labels: exported });
    await addService(bc, "shop", "a", { labels: exported });
    await addService(c, "shop", "taken", { labels: exported });
    await addService(west, "shop", "taken-c");
    await addService(c, "shop", longest, { labels: exported });
    await addSet(c, "db", "db-0", "pod-0");
    await addSet(c, "copy", "pod-0");
    await addService(c, "shop", "db-0", { labels: exported });
    stack = await newStack(bed, "names", {
      clusters: { west: {}, c: {}, "b-c": {} },
      linkDefaults: { gateway },
      links: ["c", "b-c"].map((target) => ({ source: "west", target, headless: true })),
      manage: "mirrors",
    });
  });
  after(() => bed.stop());

  const sentences = [
    "west/b-c: shop/a is not mirrored (CollidingName): the name shop/a-b-c on west is wanted for shop/a of cluster b-c and for shop/a-b of cluster c: rename one of them",
    "west/c: shop/a-b is not mirrored (CollidingName): the name shop/a-b-c on west is wanted for shop/a of cluster b-c and for shop/a-b of cluster c: rename one of them",
    "west/c: shop/db-0 is not mirrored (CollidingName): the name shop/db-0-c on west is wanted for pod db-0 of shop/db of cluster c and for shop/db-0 of cluster c: rename one of them",
    "west/c: shop/db pod pod-0 is not mirrored (CollidingName): the name shop/pod-0-c on west is wanted for pod pod-0 of shop/copy of cluster c and for pod pod-0 of shop/db of cluster c: rename one of them",
    "west/c: shop/taken is not mirrored (NotOurs): west already has a foreign Service shop/taken-c: rename or delete it, or rename what is exported",
    `west/c: shop/${longest} is not mirrored (NameTooLong): the mirror's name ${longest}-c has 64 characters and Kubernetes allows 63: shorten the name of the Service, the pod or the cluster`,
  ];

  it("are each told in one sentence with both culprits, before anything is written", async () => {
    const before = await servicesIn(bed.clusters.west);
    const text = await stack.pulumi("preview");
    for (const sentence of sentences) assert.ok(text.includes(sentence), `${sentence}\n${text}`);
    assert.deepEqual(await servicesIn(bed.clusters.west), before);
  });

  it("are given to nobody, and all the rest is mirrored", async () => {
    await stack.pulumi("up", "--yes", "--skip-preview");
    assert.deepEqual(await servicesIn(bed.clusters.west), ["copy-c", "db-c", "taken-c"]);
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });
});

describe("clusters that are linked both ways by labels of the Services' own", function () {
  this.timeout("20m");

  let bed: Bed<"west" | "east">;
  let stack: Stack;

  before(async () => {
    const names = ["west", "east"] as const;
    bed = await startBed({ clusters: names, runs: "controllers" });
    for (const cluster of Object.values(bed.clusters)) await addNamespace(cluster, "shop");
    await addService(bed.clusters.west, "shop", "web", { labels: { app: "web" } });
    await addService(bed.clusters.east, "shop", "db", { labels: { app: "db" } });
    const everything = { matchExpressions: [{ key: "app", operator: "Exists" }] };
    stack = await newStack(bed, "both", {
      clusters: { west: {}, east: {} },
      topology: "mesh",
      linkDefaults: { gateway, selector: everything, federatedServiceSelector: everything },
      manage: "mirrors",
    });
  });
  after(() => bed.stop());

  it("never mirror a mirror, however often it runs", async () => {
    for (const flags of [[], [], ["--expect-no-changes"]]) {
      await stack.pulumi("up", "--yes", "--skip-preview", ...flags);
      const both = ["db-federated", "web-federated"];
      assert.deepEqual(await servicesIn(bed.clusters.west), [...both, "db-east", "web"].sort());
      assert.deepEqual(await servicesIn(bed.clusters.east), [...both, "db", "web-west"].sort());
    }
  });
});
