import assert from "node:assert/strict";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { Methods } from "./mirroring/methods.ts";
import { discovered, service } from "./mirroring/objects.ts";
import type { Run } from "./mirroring/operations.ts";
import { clusterNames, create, emptyWorld, type World } from "./mirroring/world.ts";

const namespace = "topology";
const lists = ["endpoints", "links", "namespaces", "servicecidrs", "services"];
/** Deployments too, where it matters whether a controller of Linkerd's writes the same. */
const planned = ["deployments", ...lists];

/** `npm run bench` measures a larger one. */
describe("a full mesh of three clusters, six links", function () {
  this.timeout("20m");

  let world: World;
  let stack: Methods;

  before(async () => {
    world = await emptyWorld();
    for (const name of clusterNames)
      await create(world.kube[name], [
        service(`${namespace}/bb`, { labels: { "mirror.linkerd.io/federated": "member" } }),
        service(`${namespace}/web`, { labels: discovered }),
      ]);
    stack = await Methods.create(world, "mesh", {
      clusters: { west: {}, east: {}, north: {} },
      topology: "mesh",
      linkDefaults: { gateway: false },
    });
  });

  /** What every single cluster was asked for: its lists by name, and everything else. */
  function assertAsked({ requests }: Run, expected: { lists: string[]; other: string[] }): void {
    for (const name of clusterNames) {
      const isList = ({ verb }: { verb: string }) => verb === "list";
      const asked = requests[name].map(({ verb, resource }) => ({ verb, resource }));
      assert.deepEqual(
        {
          lists: asked
            .filter(isList)
            .map(({ resource }) => resource)
            .sort(),
          other: asked
            .filter((request) => !isList(request))
            .map(({ verb, resource }) => `${verb} ${resource}`),
        },
        expected,
        name,
      );
    }
  }

  async function servicesOf(name: (typeof clusterNames)[number]) {
    return world.kube[name].list(resources.services, { namespace });
  }

  it("lists each cluster once for a preview", async () => {
    assertAsked(await stack.preview(), { lists: planned, other: [] });
  });

  it("lists each cluster once for an update, which writes each Service once", async () => {
    // Two mirrors of web, and one federated Service.
    const other = Array.from({ length: 3 }, () => "create services");
    assertAsked(await stack.up(), { lists: planned, other });
  });

  it("has a federated Service of all three in each of them, and every mirror", async () => {
    for (const name of clusterNames) {
      const services = await servicesOf(name);
      const others = clusterNames.filter((other) => other !== name);
      const federated = services.find(({ metadata }) => metadata.name === "bb-federated");
      assert.deepEqual(federated?.metadata.annotations, {
        "multicluster.linkerd.io/local-discovery": "bb",
        "multicluster.linkerd.io/remote-discovery": [...others]
          .sort()
          .map((other) => `bb@${other}`)
          .join(),
      });
      assert.deepEqual(
        services.map(({ metadata }) => metadata.name).sort(),
        ["bb", "bb-federated", "web", ...others.map((other) => `web-${other}`)].sort(),
      );
    }
  });

  it("lists each cluster once where there is nothing to do, and writes nothing", async () => {
    assertAsked(await stack.up(), { lists: planned, other: [] });
    await stack.assertSettled();
  });

  it("asks no cluster anything for a refresh", async () => {
    assertAsked(await stack.refresh(), { lists: [], other: [] });
  });

  it("lists each cluster once to take everything back out", async () => {
    const other = Array.from({ length: 3 }, () => "delete services");
    assertAsked(await stack.destroy(), { lists: planned, other });
    for (const name of clusterNames) {
      const names = (await servicesOf(name)).map(({ metadata }) => metadata.name);
      assert.deepEqual(names.sort(), ["bb", "web"]);
    }
  });
});
