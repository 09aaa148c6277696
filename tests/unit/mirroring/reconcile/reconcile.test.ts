import { deepEqual, equal, match } from "node:assert/strict";
import type { FailureKind } from "../../../../engine/kubernetes/client/failure.ts";
import type { Before, MirrorsArgs } from "../../../../engine/mirroring/model/state.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, endpoints, headless, pods, written } from "../../fixtures/objects.ts";
import { args, expectFacts, fresh, unreachable } from "../../fixtures/settled.ts";
import {
  argsFor,
  exporting,
  type LivingClusters,
  look,
  lookedAt,
  mirrorsIn,
  preview,
  up,
} from "../../fixtures/world.ts";

const movedTo = (name: string, had: string) =>
  `context ${name} of cluster ${name} leads to another cluster than before (its kube-system has UID uid-of-${name}, and had ${had}): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.${name}.uid to uid-of-${name} and run again`;

const failing = (name: string, kind: FailureKind) => {
  const memory = new MemoryCluster(cluster(name));
  memory.refuse = () => kind;
  return memory;
};

describe("a look at a source and its targets", () => {
  it("is done with after one run, and writes nothing itself", async () => {
    const world = fresh();
    await preview(world, args);
    deepEqual(
      Object.values(world).flatMap(({ writes }) => writes),
      [],
    );
    const inputs = await up(world, args);
    deepEqual(await mirrorsIn(world.east), ["shop/api-north", "shop/web-west"]);
    const quiet = { mistakes: [], summaries: [], notes: [], hasWrites: false };
    deepEqual(await preview(world, args, inputs), { inputs, ...quiet });
  });

  it("asks for the source's nodes, to which no gateway's address may lead, where it may", async () => {
    const { west } = fresh();
    const address = "192.0.2.10";
    const nodes = [{ metadata: { name: "one" }, status: { addresses: [{ address }] } }];
    const east = new MemoryCluster(cluster("east", { namespaces: ["shop"] }), { nodes });
    const { notes } = await preview({ east, west }, argsFor(["west"]));
    match(notes.join(), /192\.0\.2\.10 is a node or an API server of the source itself/);
    east.refuse = (request) => (request === "list nodes" ? "forbidden" : undefined);
    await up({ east, west }, argsFor(["west"]));
    deepEqual(await mirrorsIn(east), ["shop/web-west"]);
  });

  it("asks for no StatefulSets unless a pod is away, nor for controllers unless a link has left", async () => {
    const world = fresh();
    const asked: string[] = [];
    for (const memory of Object.values(world)) memory.refuse = (line) => void asked.push(line);
    await look(world, args);
    deepEqual(
      asked.filter((request) => /statefulsets|deployments/.test(request)),
      [],
    );
  });
});

describe("a mistake that stops everything", () => {
  const strict = argsFor([{ target: "west", unreachable: "fail" }, "north"]);
  const other = argsFor(["west", { target: "north", unreachable: "fail" }]);
  const west = { west: unreachable("west") };
  const east = { east: unreachable("east") };
  for (const [rule, world, of, before, expected] of [
    [
      "is each context that the kubeconfig does not have, all told at once",
      { west: undefined, north: undefined },
      args,
      {},
      ["cluster west: there is no context west", "cluster north: there is no context north"],
    ],
    ["is no target out of reach", west, args, {}, "planned"],
    ["is a target out of reach where its link says so", west, strict, {}, /^cluster west can't be/],
    ["is no target out of reach where another link says so", west, other, {}, "planned"],
    ["is no source out of reach", east, args, {}, "sourceUnreadable"],
    ["is a source out of reach where any link says so", east, other, {}, /^cluster east can't be/],
    [
      "is no context of the source that leads to another cluster than before, which keeps that source alone",
      {},
      args,
      { identities: { east: "another" } },
      "sourceUnreadable",
    ],
  ] as [string, LivingClusters, MirrorsArgs, Before, string[] | RegExp | string][])
    it(rule, async () => {
      const found = await look(fresh(world), of, before);
      const facts = { mistakes: found.outcome === "invalid" ? found.mistakes : found.outcome };
      expectFacts(facts, { mistakes: expected });
    });
});

describe("a target that is not the cluster it should be", () => {
  const expecting = (uid: string): MirrorsArgs => ({
    ...args,
    clusters: { ...args.clusters, west: { context: "west", uid } },
  });
  const is = (uid: string) => ({ identities: { west: uid } });
  const same = { west: new MemoryCluster({ ...cluster("west"), identity: "uid-of-east" }) };
  const twin = { west: new MemoryCluster({ ...cluster("west"), identity: "uid-of-north" }) };
  for (const [rule, of, before, refused, world] of [
    [
      "is refused where its context leads to another cluster than before",
      args,
      is("another"),
      { west: movedTo("west", "another") },
    ],
    ["is not refused where it is the one that was", args, is("uid-of-west"), undefined],
    ["is decided by the config's uid", expecting("uid-of-west"), is("another"), undefined],
    ["is refused by the config's uid", expecting("third"), is("uid-of-west"), /had third/],
    [
      "is refused where it is the source itself",
      args,
      {},
      {
        west: "east and west are the same cluster (its kube-system has UID uid-of-east): fix the context of one end of link east/west",
      },
      same,
    ],
    ["is not refused where two names are one target", args, {}, undefined, twin],
  ] as [string, MirrorsArgs, Before, object | RegExp | undefined, LivingClusters?][])
    it(`${rule}, while the other is planned`, async () => {
      const { inputs, mistakes } = await preview(fresh(world), of, before);
      deepEqual([mistakes, Object.keys(inputs.mirrors).includes("north")], [[], true]);
      expectFacts({ refused: inputs.refused }, { refused });
    });

  it("is remembered as the one that it was", async () => {
    const { inputs } = await preview(fresh(), args, is("another"));
    equal(inputs.identities?.["west"], "another");
  });
});

describe("a cluster that cannot be read", () => {
  for (const [kind, outcome] of [
    ["unauthorized", "refused"],
    ["forbidden", "refused"],
    ["unreachable", "unreachable"],
    ["server", "unreachable"],
    ["throttled", "unreachable"],
  ] as const)
    it(`counts as ${outcome} where it answers ${kind}, and its part is left out of the plan`, async () => {
      const { readings, decided } = await lookedAt(fresh({ west: failing("west", kind) }), args);
      equal(readings.get("west")?.outcome, outcome);
      deepEqual([...decided.judged.keys()], ["north", "federated"]);
    });
});

describe("the StatefulSets of a target of which a pod is away", () => {
  const pair = argsFor([{ target: "west", headless: true }]);
  const listing = (...names: string[]) =>
    exporting("west", [headless("shop/db")], {
      endpoints: [endpoints("shop/db", [pods(names)])],
    });

  /** A source with mirrors of db-0 and db-1, of which the target lists the first alone by now. */
  async function oneAway(refused?: FailureKind) {
    const { east } = fresh();
    await up({ east, west: new MemoryCluster(listing("db-0", "db-1")) }, pair);
    const west = new MemoryCluster(listing("db-0"));
    west.refuse = (request) => (request === "list statefulsets" ? refused : undefined);
    return { east, west };
  }

  it("count as none where the target keeps them to itself", async () => {
    const { decided } = await lookedAt(await oneAway("forbidden"), pair);
    deepEqual(decided.missing, { "shop/db-1-west": written });
  });

  for (const [kind, outcome] of [
    ["server", "unreachable"],
    ["unauthorized", "refused"],
  ] as const)
    it(`make the target one that is ${outcome} where they can't be read just now (${kind})`, async () => {
      const world = await oneAway(kind);
      const { readings, decided } = await lookedAt(world, pair);
      equal(readings.get("west")?.outcome, outcome);
      deepEqual([...decided.judged.keys()], ["federated"]);
      const strict = argsFor([{ target: "west", headless: true, unreachable: "fail" }]);
      equal((await look(world, strict)).outcome, "invalid");
    });

  it("say whether the pod is meant to be there", async () => {
    const metadata = { namespace: "shop", name: "db" };
    const { east, west } = await oneAway();
    west.put("statefulsets", { metadata, spec: { serviceName: "db", replicas: 1 } });
    await up({ east, west }, pair);
    deepEqual(await mirrorsIn(east), ["shop/db-0-west", "shop/db-west"]);
  });
});
