import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import type { ApiServer } from "../../simulation/api-server.ts";
import { putServices, serverWith } from "../../simulation/contents.ts";
import type { Mesh as Simulated } from "../../simulation/mesh.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { contentsOf, writesTo } from "../../simulation/outcome.ts";
import {
  cluster,
  exported,
  exporting,
  headless,
  linkObject,
  service,
} from "../fixtures/objects.ts";

interface Settled {
  readonly mesh: Simulated;
  readonly east: ApiServer;
  readonly west: ApiServer;
}

/** Returns a stack after its first run, with a Link whose status it keeps, and a Service that fails over. */
async function settled(): Promise<Settled> {
  const exports = [exported("shop/web"), exported("shop/old"), headless("shop/db")];
  const own = [service("shop/web")];
  const east = serverWith(cluster("east", { namespaces: ["shop"], services: own }), {
    links: [linkObject("west")],
  });
  const west = serverWith(exporting("west", exports));
  const mesh = Mesh.of([east, west], {
    clusters: { west: {}, east: { failover: { "shop/web": ["local", "west"] } } },
    linkDefaults: { createNamespaces: true, headless: true },
  });
  equal((await mesh.up()).failure, undefined);
  east.journal.length = 0;
  return { mesh, east, west };
}

const ports = { ports: [{ name: "http", port: 81 }] };

/** What a run has to do, by the request that is refused. */
const works: Readonly<Record<string, (settled: Settled) => unknown>> = {
  "create services": ({ west }) => {
    putServices(west, exported("shop/new"));
  },
  "create endpoints": ({ west }) => {
    putServices(west, exported("shop/new"));
  },
  "create namespaces": ({ west }) => {
    putServices(west, exported("labs/new"));
  },
  "update services": ({ west }) => {
    putServices(west, exported("shop/web", {}, ports));
  },
  "update endpoints": ({ east }) => {
    east.edit("endpoints", "shop/web-west", { subsets: [] });
  },
  "delete services": ({ west }) => {
    west.delete("services", "shop/old");
  },
  "delete httproutes": ({ west }) => {
    west.delete("services", "shop/web");
  },
  "patch links": ({ west }) => {
    putServices(west, exported("shop/new"));
  },
};

const changes = async (mesh: Simulated) =>
  (await mesh.preview()).steps.some((each) => each.changes);

describe("work that a run couldn't do", () => {
  for (const [refused, work] of Object.entries(works))
    it(`is due until it is done, whatever comes between: ${refused}`, async () => {
      const before = await settled();
      const { mesh, east } = before;
      work(before);
      const done = mesh.copy();
      await done.up();
      east.refuse = (request) => (request.startsWith(refused) ? "invalid" : undefined);
      const first = await mesh.up();
      if (refused !== "patch links") notEqual(first.failure, undefined);
      for (const refreshes of [0, 1, 2]) {
        for (let times = 0; times < refreshes; times += 1) await mesh.refresh();
        east.journal.length = 0;
        equal(await changes(mesh), true);
        equal((await mesh.up()).failure, first.failure);
        deepEqual(writesTo(east), []);
      }
      east.refuse = () => undefined;
      await mesh.refresh();
      equal(await changes(mesh), true);
      equal((await mesh.up()).failure, undefined);
      deepEqual(contentsOf(east), contentsOf(done.server("east")));
      equal(await changes(mesh), false);
    });

  it("fails every run that a guard refuses", async () => {
    const { mesh, east, west } = await settled();
    mesh.config = { ...mesh.config, linkDefaults: { headless: true, maxDeletions: 0 } };
    equal((await mesh.up()).failure, undefined);
    west.delete("services", "shop/old");
    east.journal.length = 0;
    for (let run = 0; run < 5; run += 1) {
      match((await mesh.up()).failure ?? "", /maxDeletions/);
      await mesh.refresh();
      equal(await changes(mesh), true);
    }
    deepEqual(writesTo(east), []);
  });

  it("is no longer due once somebody else has done it", async () => {
    const { mesh, east, west } = await settled();
    west.delete("services", "shop/old");
    east.refuse = (request) => (request.startsWith("delete services") ? "invalid" : undefined);
    notEqual((await mesh.up()).failure, undefined);
    east.refuse = () => undefined;
    east.delete("services", "shop/old-west");
    await mesh.refresh();
    equal((await mesh.up()).failure, undefined);
    equal(await changes(mesh), false);
  });
});
