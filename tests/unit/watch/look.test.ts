import { deepEqual, equal, match, rejects } from "node:assert/strict";

import { resources } from "../../../engine/kubernetes/resources.ts";
import type { Inputs } from "../../../engine/mirroring/model/state.ts";
import { look } from "../../../engine/watch/look.ts";
import { Lookout } from "../../../engine/watch/lookout.ts";
import { until } from "../../../testbed/processes.ts";
import { failing } from "../fixtures/failing.ts";
import { MemoryCluster } from "../fixtures/memory-cluster.ts";
import { cluster, endpoints, exported, headless, later, now, pods } from "../fixtures/objects.ts";
import { argsFor, exporting, preview, up, World } from "../fixtures/world.ts";

const names = ["a", "b", "c", "d"];

describe("a look", () => {
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
    const { sources } = await look([inputs], new World(clusters));
    deepEqual(clusters.east.writes, []);
    const [source] = sources;
    return { ...source, verdict: source?.verdict, refusals: source?.refusals ?? [] };
  }

  it("finds everything in order after a run", async () => {
    deepEqual(await seen(), {
      ...{ source: "east", verdict: "inOrder", refusals: [], away: {} },
      parts: { west: { mirrors: 4, notMirrored: 0 } },
    });
  });

  it("finds what a run would do, by the links that are in the state", async () => {
    await clusters.west.create(resources.services, exported("shop/new"));
    equal((await seen()).verdict, "work");
    deepEqual((await seen()).parts, { west: { mirrors: 5, notMirrored: 0 } });
  });

  it("finds a mirror that somebody has deleted", async () => {
    await clusters.east.remove(resources.services, { namespace: "shop", name: "a-west" });
    clusters.east.writes.length = 0;
    equal((await seen()).verdict, "work");
  });

  it("tells what the guards refuse, in their own words", async () => {
    for (const name of ["a", "b", "c"])
      await clusters.west.remove(resources.services, { namespace: "shop", name });
    const { verdict, refusals } = await seen();
    equal(verdict, "refused");
    match(refusals.join(), /maxDeletions/);
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
    const first = await look([inputs], new World(clusters), now);
    deepEqual([first.sources[0]?.verdict, first.dueIn], ["work", 295_000]);
    ({ inputs } = await preview(clusters, args, inputs));
    const noted = await look([inputs], new World(clusters), now);
    deepEqual([noted.sources[0]?.verdict, noted.dueIn], ["inOrder", 295_000]);
    const due = await look([inputs], new World(clusters), later);
    deepEqual([due.sources[0]?.verdict, due.dueIn], ["work", undefined]);
    // What can't be done now is not due again and again.
    clusters.west.refuse = () => failing("unreachable", "west");
    equal((await look([inputs], new World(clusters), later)).dueIn, undefined);
  });

  it("tells which cluster is away, and that a run has to note it once", async () => {
    clusters.west.refuse = () => failing("unreachable", "west");
    const first = await seen();
    deepEqual(Object.keys(first.away ?? {}), ["west"]);
    equal(first.verdict, "work");
    await run(argsFor([{ target: "west", maxDeletions: 2 }]));
    equal((await seen()).verdict, "inOrder");
  });

  it("tells the hostnames of gateways, with what they lead to", async () => {
    const gateway = {
      namespace: "g",
      name: "g",
      addresses: ["localhost"],
      port: 4143,
      identity: "i",
    };
    await run(argsFor([{ target: "west", gateway }]));
    const { hostnames } = await look([inputs], new World(clusters));
    deepEqual(Object.keys(hostnames), ["localhost"]);
    match(hostnames["localhost"]?.join() ?? "", /127\.0\.0\.1|::1/);
  });
});

describe("the process of a look", () => {
  const nothing = { sources: [], hostnames: {} };

  it("answers and ends, whether it was prepared or not", async () => {
    const lookout = new Lookout();
    lookout.prepare();
    deepEqual(await lookout.look([]), nothing);
    deepEqual(await lookout.look([]), nothing);
  });

  it("says that it was ended", async () => {
    const lookout = new Lookout();
    const looking = lookout.look([]);
    lookout.close();
    await rejects(looking, /the look was ended \(SIGKILL\)/);
    deepEqual(await lookout.look([]), nothing);
  });

  it("is another one if it has died before it was asked", async () => {
    const lookout = new Lookout();
    lookout.prepare();
    lookout.close();
    const isThere = () => process.getActiveResourcesInfo().includes("ProcessWrap");
    await until("its end", [], () => Promise.resolve(isThere() ? undefined : true));
    deepEqual(await lookout.look([]), nothing);
  });

  it("is tried again where none could be started", async () => {
    const { execPath } = process;
    const lookout = new Lookout();
    process.execPath = "/nowhere";
    try {
      lookout.prepare();
      await rejects(lookout.look([]), /no look could be made: .*ENOENT/);
    } finally {
      process.execPath = execPath;
    }
    deepEqual(await lookout.look([]), nothing);
  });

  it("tells of a kubeconfig that can't be read as a run does", async () => {
    const args = argsFor(["west"]);
    const nowhere = { kubeconfig: "/nowhere" };
    const access = { east: { context: "east", ...nowhere }, west: { context: "west", ...nowhere } };
    const inputs = { ...args, clusters: access, mirrors: {}, revision: 1 };
    const [source] = (await new Lookout().look([inputs])).sources;
    equal(source?.verdict, "refused");
    match(source.refusals.join(), /\/nowhere/);
  });
});
