import { deepEqual, equal, match, rejects } from "node:assert/strict";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { Inputs } from "../../../engine/mirroring/model/state.ts";
import { dryRun } from "../../../engine/watch/dry-run.ts";
import { DryRunner } from "../../../engine/watch/dry-runner.ts";
import { until } from "../../../testbed/processes.ts";
import { failing } from "../fixtures/failing.ts";
import { MemoryCluster } from "../fixtures/memory-cluster.ts";
import { cluster, endpoints, exported, headless, later, now, pods } from "../fixtures/objects.ts";
import { argsFor, exporting, preview, up, World } from "../fixtures/world.ts";

const names = ["a", "b", "c", "d"];

describe("a dry run", () => {
  let clusters: { west: MemoryCluster; readonly east: MemoryCluster };
  let inputs: Inputs;

  beforeEach(async () => {
    const services = names.map((name) => exported(`shop/${name}`));
    clusters = {
      west: new MemoryCluster(exporting("west", services)),
      east: new MemoryCluster(cluster("east", { namespaces: ["shop"] })),
    };
    await run(argsFor([{ target: "west", maxDeletions: 2 }]));
  });

  /** Two runs, since the second one no longer has anything to tell. */
  async function run(args: ReturnType<typeof argsFor>): Promise<void> {
    inputs = await up(clusters, args, await up(clusters, args));
    clusters.east.writes.length = 0;
  }

  async function seen() {
    const { sources } = await dryRun([inputs], new World(clusters));
    deepEqual(clusters.east.writes, []);
    const [source] = sources;
    return { ...source, status: source?.status, refusals: source?.refusals ?? [] };
  }

  it("finds everything in order after a run", async () => {
    deepEqual(await seen(), {
      ...{ source: "east", status: "inSync", refusals: [], unreachable: {} },
      parts: { west: { mirrors: 4, notMirrored: 0 } },
    });
  });

  it("finds what a run would do, by the links that are in the state", async () => {
    await clusters.west.create(resources.services, exported("shop/new"));
    equal((await seen()).status, "changed");
    deepEqual((await seen()).parts, { west: { mirrors: 5, notMirrored: 0 } });
  });

  it("tells what the guards refuse, in their own words", async () => {
    for (const name of ["a", "b", "c"])
      await clusters.west.remove(resources.services, { namespace: "shop", name });
    const { status, refusals, unreachable } = await seen();
    equal(status, "refused");
    match(refusals.join(), /maxDeletions/);
    deepEqual(
      unreachable,
      {},
      "a cluster that is read counts as such, whatever its links are refused",
    );
  });

  it("has a run note that a pod is missing, and says when its mirror goes", async () => {
    const db = headless("shop/db");
    const listing = (...hosts: string[]) =>
      new MemoryCluster(
        exporting("west", [db], { endpoints: [endpoints("shop/db", [pods(hosts)])] }),
      );
    const args = argsFor([{ target: "west", headless: true, maxDeletions: 9 }]);
    clusters.west = listing("db-0", "db-1");
    await run(args);
    clusters.west = listing("db-0");
    const first = await dryRun([inputs], new World(clusters), now);
    deepEqual([first.sources[0]?.status, first.dueIn], ["changed", 295_000]);
    ({ inputs } = await preview(clusters, args, inputs));
    const noted = await dryRun([inputs], new World(clusters), now);
    deepEqual([noted.sources[0]?.status, noted.dueIn], ["inSync", 295_000]);
    const due = await dryRun([inputs], new World(clusters), later);
    deepEqual([due.sources[0]?.status, due.dueIn], ["changed", undefined]);
    // What can't be done now is not due again and again.
    clusters.west.refuse = () => failing("unreachable", "west");
    equal((await dryRun([inputs], new World(clusters), later)).dueIn, undefined);
  });

  it("tells which cluster is away, and that a run has to note it once", async () => {
    clusters.west.refuse = () => failing("unreachable", "west");
    const first = await seen();
    deepEqual(Object.keys(first.unreachable ?? {}), ["west"]);
    equal(first.status, "changed");
    await run(argsFor([{ target: "west", maxDeletions: 2 }]));
    equal((await seen()).status, "inSync");
  });

  it("tells the hostnames of gateways, with what they lead to", async () => {
    const gateway = {
      ...{ namespace: "g", name: "g", addresses: ["localhost"] },
      port: 4143,
      identity: "i",
    };
    await run(argsFor([{ target: "west", gateway }]));
    const { hostnames } = await dryRun([inputs], new World(clusters));
    deepEqual(Object.keys(hostnames), ["localhost"]);
    match(hostnames["localhost"]?.join() ?? "", /127\.0\.0\.1|::1/);
  });
});

describe("the process of a dry run", () => {
  const nothing = { sources: [], hostnames: {} };

  it("says that it was ended", async () => {
    const runner = new DryRunner();
    const running = runner.run([]);
    runner.close();
    await rejects(running, /the dry run was ended \(SIGKILL\)/);
  });

  it("is another one if it has died before it was asked", async () => {
    const runner = new DryRunner();
    runner.prepare();
    runner.close();
    const isThere = () => process.getActiveResourcesInfo().includes("ProcessWrap");
    await until("its end", [], () => Promise.resolve(isThere() ? undefined : true));
    deepEqual(await runner.run([]), nothing);
  });

  it("is tried again where none could be started", async () => {
    const { execPath } = process;
    const runner = new DryRunner();
    process.execPath = "/nowhere";
    try {
      runner.prepare();
      await rejects(runner.run([]), /no dry run could be made: .*ENOENT/);
    } finally {
      process.execPath = execPath;
    }
    runner.prepare();
    deepEqual(await runner.run([]), nothing);
  });

  it("tells of a kubeconfig that can't be read as a run does", async () => {
    const args = argsFor(["west"]);
    const nowhere = { kubeconfig: "/nowhere" };
    const access = { east: { context: "east", ...nowhere }, west: { context: "west", ...nowhere } };
    const inputs = { ...args, clusters: access, mirrors: {}, revision: 1 };
    const [source] = (await new DryRunner().run([inputs])).sources;
    equal(source?.status, "refused");
    match(source.refusals.join(), /\/nowhere/);
  });
});
