import { deepEqual } from "node:assert/strict";
import { dryRun, DryRunClusters } from "../../../../cli/watch/dry-run.ts";
import { watchedKinds, type WatchEvent } from "../../../../cli/watch/events.ts";
import { KeptLists } from "../../../../cli/watch/kept-lists.ts";
import type { FailureKind } from "../../../../engine/kubernetes/client/failure.ts";
import type { Inputs } from "../../../../engine/model/state.ts";
import type { ApiServer } from "../../../simulation/api-server.ts";
import { runOf, SimulatedClusters } from "../../../simulation/clusters.ts";
import { serverWith } from "../../../simulation/contents.ts";
import { argsFor, web } from "../../fixtures/checked.ts";
import { cluster, exported, exporting, now } from "../../fixtures/objects.ts";

const everything = ["endpoints east", "links east", "links west", "namespaces east"].concat([
  "namespaces west",
  "services east",
  "services west",
]);

describe("what a dry run lists of the kinds that a watch reports", () => {
  let servers: { readonly west: ApiServer; readonly east: ApiServer };
  let inputs: Inputs;
  let lists: KeptLists;
  const open = (name: "west" | "east") => {
    for (const kind of watchedKinds)
      if (name === "east" || kind !== "endpoints")
        lists.observe({ event: "watching", cluster: name, kind });
  };

  beforeEach(async () => {
    servers = {
      west: serverWith(exporting("west", [web])),
      east: serverWith(cluster("east", { namespaces: ["shop"] })),
    };
    const args = argsFor(["west"]);
    inputs = await runOf(servers, args, now, await runOf(servers, args, now));
    lists = new KeptLists();
    open("west");
    open("east");
    await listed();
  });

  /** Returns what a dry run lists, and what it finds. */
  async function listed(meanwhile: (list: string) => FailureKind | undefined = () => undefined) {
    const read: string[] = [];
    for (const [name, server] of Object.entries(servers))
      server.refuse = (line) => {
        const [verb, plural] = line.split(" ");
        const list = `${plural ?? ""} ${name}`;
        if (verb !== "list" || !watchedKinds.some((kind) => kind === plural)) return undefined;
        read.push(list);
        return meanwhile(list);
      };
    const world = new SimulatedClusters(servers);
    const seenAs = Object.assign(new DryRunClusters(undefined, lists), {
      connect: world.connect.bind(world),
    });
    const { sources, away } = await dryRun([{ planned: inputs, before: inputs }], seenAs, [], now);
    const unwatched = Object.keys(away).filter((name) => !lists.watches(name));
    return [...read.sort(), sources[0]?.status, ...unwatched.map((name) => `${name} is away`)];
  }

  it("is nothing of a cluster that doesn't answer, which is away if it isn't watched either", async () => {
    const deaf = () =>
      listed((list) => (list.endsWith(" west") ? "unreachable" : undefined)).then((said) =>
        said.filter((each) => each?.endsWith("away")),
      );
    lists.forget();
    deepEqual(await deaf(), []);
    for (const kind of watchedKinds)
      lists.observe({ event: "watchLost", cluster: "west", kind, why: "", retryIn: 0 });
    deepEqual(await deaf(), ["west is away"]);
  });

  it("is nothing if nothing has changed", async () => {
    deepEqual(await listed(), ["inSync"]);
  });

  it("is what has changed, also while it was listed", async () => {
    servers.west.put("services", exported("shop/new"));
    lists.changed("west", "services");
    const again = () => {
      lists.changed("west", "services");
      return undefined;
    };
    deepEqual(await listed(again), ["services west", "changed"]);
    deepEqual(await listed(), ["services west", "changed"]);
    deepEqual(await listed(), ["changed"]);
  });

  const lost = { kind: "services", why: "reset", retryIn: 0 } as const;
  for (const [what, event, again] of [
    ["a lost watch", { event: "watchLost", cluster: "west", ...lost }, ["services west"]],
    ["a change of the clusters", { event: "clusters", kinds: {} }, everything],
  ] as const satisfies readonly (readonly [string, WatchEvent, readonly string[]])[])
    it(`is all of it from ${what} until a watch is open again`, async () => {
      lists.observe(event);
      deepEqual(await listed(), [...again, "inSync"]);
      deepEqual(await listed(), [...again, "inSync"]);
      open("west");
      open("east");
      await listed();
      deepEqual(await listed(), ["inSync"]);
    });

  it("is everything after a failure or for a resync", async () => {
    lists.forget();
    deepEqual(await listed(), [...everything, "inSync"]);
  });

  it("is what could not be listed", async () => {
    lists.changed("west", "services");
    deepEqual(await listed(() => "forbidden"), ["services west", "refused"]);
    deepEqual(await listed(), ["services west", "inSync"]);
  });
});
