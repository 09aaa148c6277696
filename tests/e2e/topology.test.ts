import assert from "node:assert/strict";
import { type Bed, mark, requestsOf, startBed } from "../../testbed/bed.ts";
import { newStack, type Stack } from "./engine.ts";
import { addNamespace, addService, serviceIn, serviceNames } from "./objects.ts";

const names = Array.from({ length: 10 }, (_, index) => `c${index}`);
const lists = ["endpoints", "links", "namespaces", "services"];

/** Ten real API servers, without pods: they take half a minute to start on two cores, and 4 GB. */
describe("a full mesh of ten clusters, ninety links", function () {
  this.timeout("20m");

  let bed: Bed<string>;
  let stack: Stack;

  before(async () => {
    bed = await startBed({ clusters: names, runs: "controllers" });
    await Promise.all(
      clusters().map(async (cluster) => {
        await addNamespace(cluster, "demo");
        await addService(cluster, "demo", "bb", {
          labels: { "mirror.linkerd.io/federated": "member" },
        });
        await addService(cluster, "demo", "web", {
          labels: { "mirror.linkerd.io/exported": "remote-discovery" },
        });
      }),
    );
    stack = await newStack(bed, "mesh", {
      clusters: Object.fromEntries(names.map((name) => [name, {}])),
      topology: "mesh",
      linkDefaults: { gateway: false },
      manage: "mirrors",
    });
  });
  after(() => bed.stop());

  function clusters() {
    return Object.values(bed.clusters);
  }

  /** What each cluster was asked meanwhile: lists by name, and how many Services were written. */
  async function asked(work: () => Promise<unknown>) {
    const marks = await Promise.all(clusters().map(mark));
    await work();
    return Promise.all(
      marks.map(async (since) => {
        const requests = await requestsOf(since, "linkerd-multicluster/");
        const read = requests.filter(({ verb }) => verb === "list");
        const other = requests.filter(({ verb }) => verb !== "list");
        return {
          lists: read.map(({ resource }) => resource).sort(),
          other: [...new Set(other.map(({ verb, resource }) => `${verb} ${resource}`))],
          count: other.length,
        };
      }),
    );
  }

  it("lists each cluster once for a preview", async () => {
    const answers = await asked(() => stack.pulumi("preview"));
    for (const answer of answers) assert.deepEqual(answer, { lists, other: [], count: 0 });
  });

  it("lists each cluster once for an update, which writes each Service once", async () => {
    const answers = await asked(() => stack.pulumi("up", "--yes", "--skip-preview"));
    // Nine mirrors of web, and one federated Service.
    for (const answer of answers)
      assert.deepEqual(answer, { lists, other: ["create services"], count: 10 });
  });

  it("has a federated Service of all ten in each of them, and every mirror", async () => {
    for (const cluster of clusters()) {
      const others = names.filter((name) => name !== cluster.name);
      const federated = await serviceIn(cluster, "demo", "bb-federated");
      assert.deepEqual(federated?.metadata.annotations, {
        "multicluster.linkerd.io/local-discovery": "bb",
        "multicluster.linkerd.io/remote-discovery": others.map((name) => `bb@${name}`).join(),
      });
      assert.deepEqual(
        await serviceNames(cluster, "demo"),
        ["bb", "bb-federated", "web", ...others.map((name) => `web-${name}`)].sort(),
      );
    }
  });

  it("lists each cluster once where there is nothing to do, and writes nothing", async () => {
    const answers = await asked(() =>
      stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes"),
    );
    for (const answer of answers) assert.deepEqual(answer, { lists, other: [], count: 0 });
  });

  it("lists each cluster once in each of the two phases of a plain up", async () => {
    const answers = await asked(() => stack.pulumi("up", "--yes"));
    for (const answer of answers)
      assert.deepEqual(answer, { lists: [...lists, ...lists].sort(), other: [], count: 0 });
  });

  it("lists each cluster once for a refresh", async () => {
    const answers = await asked(() => stack.pulumi("refresh", "--yes", "--skip-preview"));
    for (const answer of answers) assert.deepEqual(answer, { lists, other: [], count: 0 });
  });

  it("lists each cluster once to take everything back out", async () => {
    const answers = await asked(() => stack.pulumi("destroy", "--yes", "--skip-preview"));
    // Deployments too: the mirrors might be a controller's by now.
    for (const answer of answers)
      assert.deepEqual(answer, {
        lists: ["deployments", ...lists],
        other: ["delete services"],
        count: 10,
      });
    for (const cluster of clusters()) {
      assert.deepEqual(await serviceNames(cluster, "demo"), ["bb", "web"]);
    }
  });
});
