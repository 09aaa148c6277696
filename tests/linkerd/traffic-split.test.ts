import assert from "node:assert/strict";

import { until } from "../bed/bed.ts";
import type { Config } from "../bed/stack.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { chartsFolder } from "./real-plugins.ts";
import { answeredByAll, ask, authorityOf } from "./traffic/asking.ts";
import { type Mesh, names, startMesh } from "./traffic/mesh.ts";
import { assertNoneFailed, type Tallies, tallyOf } from "./traffic/stream.ts";
import {
  addAccount,
  addDeployment,
  addService,
  discovered,
  exported,
  member,
} from "./traffic/workloads.ts";

const lacking = await lackingForMesh();

/** Requests for cart cross the flat network, and those for docs a gateway. */
const split = { "shop/cart": { local: 85, north: 15 }, "shop/docs": { local: 90, west: 10 } };

/** Each test continues from the one before. */
describe(`traffic that is split, through Linkerd's own proxies${skipNoteOf(lacking)}`, function () {
  this.timeout("40m");

  let mesh: Mesh | undefined;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    mesh = await startMesh(config());
    const { west, east, north } = mesh.bed.clusters;
    for (const cluster of [west, east, north]) {
      await addDeployment(cluster, { name: "web", program: "server" });
      await addService(cluster, "api", "web", member);
    }
    for (const service of ["cart", "docs"]) await addService(east, service, "web", {});
    await addService(north, "cart", "web", discovered);
    await addService(west, "docs", "web", exported);
    await addAccount(east, "client");
    await addDeployment(east, { name: "client", program: "client", account: "client" });
    for (const name of names) await mesh.rolledOut(name);
    await mesh.up();
    for (const service of ["cart", "docs", "api-federated"]) await ask(mesh.stream, service);
    await answeredByAll(mesh.stream);
  });
  after(() => mesh?.bed.stop());

  it("reaches each cluster with its share of 2,000 requests, flat and through a gateway", async () => {
    const { stream } = theMesh();
    const copies = ["cart", "docs"].flatMap((service) =>
      Array.from({ length: 10 }, (_, index) => ({ service, name: `${service} ${index}` })),
    );
    for (const { service, name } of copies)
      await stream.add({ name, authority: authorityOf(service) });
    const tallies = await stream.next(200);
    for (const { name } of copies) await stream.remove(name);
    for (const [key, weights] of Object.entries(split)) {
      const service = key.replace("shop/", "");
      const own = copies.flatMap((copy) => (copy.service === service ? copy.name : []));
      const answers = (cluster: string) =>
        own.reduce((sum, name) => sum + (tallyOf(tallies, name).clusters.get(cluster) ?? 0), 0);
      const sent = own.reduce((sum, name) => sum + tallyOf(tallies, name).sent, 0);
      assert.ok(sent >= 2_000);
      for (const [cluster, weight] of Object.entries(weights)) {
        const share = (100 * answers(cluster === "local" ? "east" : cluster)) / sent;
        console.log(`    ${service}: ${sent} requests, ${share.toFixed(1)} % to ${cluster}`);
        assert.ok(Math.abs(share - weight) <= 3, `${service} ${cluster}: ${share}`);
      }
    }
    assertNoneFailed(tallies);
  });

  it("loses no request while weights change, and while a cluster is drained and returns", async () => {
    const { stack, stream, up } = theMesh();
    const run = async (change: Config) => {
      await stack.configure(change);
      await up();
      await stream.asked(40);
    };
    const even = { "shop/cart": { local: 1, north: 1 }, "shop/docs": { local: 1, west: 1 } };
    assertNoneFailed(await stream.during(() => run(config(even))));
    for (const drained of ["west", "north"] as const) {
      const during = await stream.during(async () => {
        await run(config(even, drained));
        await until(`the end of requests to ${drained}`, [], async () => {
          const since = await stream.next(40);
          return !clustersIn(since).has(drained) || undefined;
        });
      });
      assertNoneFailed(during);
      assertNoneFailed(await stream.during(() => run(config(even))));
      await until(`requests to ${drained}`, [], async () => {
        return clustersIn(await stream.next(10)).has(drained) || undefined;
      });
    }
  });

  function theMesh(): Mesh {
    if (mesh === undefined) throw new Error("there is no mesh");
    return mesh;
  }
});

function clustersIn(tallies: Tallies): ReadonlySet<string> {
  return new Set([...tallies.values()].flatMap(({ clusters }) => [...clusters.keys()]));
}

function config(traffic: Config = split, drained?: "west" | "north"): Config {
  const settings = (name: string) => (name === drained ? { drained: true } : {});
  return {
    manage: "all",
    clusters: {
      west: settings("west"),
      east: { gateway: false, traffic },
      north: { gateway: false, ...settings("north") },
    },
    links: [
      { source: "east", target: "west" },
      { source: "east", target: "north" },
    ],
    charts: { source: chartsFolder },
  };
}
