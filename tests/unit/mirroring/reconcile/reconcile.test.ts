import { deepEqual, equal, match } from "node:assert/strict";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import type { MirrorsArgs } from "../../../../engine/mirroring/model/state.ts";
import { failing } from "../../fixtures/failing.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, endpoints, exported, headless, pods, written } from "../../fixtures/objects.ts";
import {
  argsFor,
  exporting,
  look,
  lookedAt,
  mirrorsIn,
  preview,
  up,
} from "../../fixtures/world.ts";

const args = argsFor(["west", "north"]);

function clusters() {
  return {
    east: new MemoryCluster(cluster("east", { namespaces: ["shop"] })),
    west: new MemoryCluster(exporting("west", [exported("shop/web")])),
    north: new MemoryCluster(exporting("north", [exported("shop/api")])),
  };
}

async function mistakesIn(
  world: Parameters<typeof look>[0],
  of: MirrorsArgs = args,
  before: Parameters<typeof look>[2] = {},
): Promise<readonly string[]> {
  const outcome = await look(world, of, before);
  return outcome.outcome === "invalid" ? outcome.mistakes : [`it is ${outcome.outcome}`];
}

describe("a look at a source and its targets", () => {
  it("plans all links together, and nothing is written", async () => {
    const world = clusters();
    const { decided } = await lookedAt(world, args);
    deepEqual([...decided.judged.keys()], ["west", "north", "federated"]);
    deepEqual(
      Object.values(world).flatMap(({ writes }) => writes),
      [],
    );
  });

  it("is done with after one run", async () => {
    const world = clusters();
    const inputs = await up(world, args);
    deepEqual(await mirrorsIn(world.east), ["shop/api-north", "shop/web-west"]);
    const quiet = { mistakes: [], notes: [], hasWrites: false };
    deepEqual(await preview(world, args, inputs), { inputs, ...quiet });
  });

  it("asks for the source's nodes, to which no gateway's address may lead, where it may", async () => {
    const { west } = clusters();
    const address = "192.0.2.10";
    const nodes = [{ metadata: { name: "one" }, status: { addresses: [{ address }] } }];
    const east = new MemoryCluster(cluster("east", { namespaces: ["shop"] }), { nodes });
    const { notes } = await preview({ east, west }, argsFor(["west"]));
    match(notes.join(), /192\.0\.2\.10 is a node or an API server of the source itself/);
    const denied = failing("forbidden", "east", "list", resources.nodes);
    east.refuse = (request) => (request === "list nodes" ? denied : undefined);
    await up({ east, west }, argsFor(["west"]));
    deepEqual(await mirrorsIn(east), ["shop/web-west"]);
  });

  it("asks for no StatefulSets unless a pod is away, nor for controllers unless a link has left", async () => {
    const world = clusters();
    const asked: string[] = [];
    for (const memory of Object.values(world))
      memory.refuse = (request) => {
        asked.push(`${memory.cluster}: ${request}`);
        return undefined;
      };
    await look(world, args);
    deepEqual(
      asked.filter((request) => /statefulsets|deployments/.test(request)),
      [],
    );
  });
});

describe("a mistake that stops everything", () => {
  it("is each context that the kubeconfig does not have, all told at once", async () => {
    const { east } = clusters();
    deepEqual(await mistakesIn({ east }), [
      "cluster west: there is no context west",
      "cluster north: there is no context north",
    ]);
  });

  it("is a cluster out of reach only where a link says unreachable: fail", async () => {
    const world = clusters();
    const error = failing("unreachable", "west");
    world.west.refuse = () => error;
    deepEqual(await mistakesIn(world), ["it is planned"]);
    const strict = argsFor([{ target: "west", unreachable: "fail" }, "north"]);
    deepEqual(await mistakesIn(world, strict), [error.message]);
    const other = argsFor(["west", { target: "north", unreachable: "fail" }]);
    deepEqual(await mistakesIn(world, other), ["it is planned"]);
  });

  it("is a source out of reach where any of its links says so", async () => {
    const world = clusters();
    const error = failing("unreachable", "east");
    world.east.refuse = () => error;
    deepEqual(await mistakesIn(world), ["it is sourceUnreadable"]);
    const strict = argsFor(["west", { target: "north", unreachable: "fail" }]);
    deepEqual(await mistakesIn(world, strict), [error.message]);
  });

  it("is a context of the source that leads to another cluster than before", async () => {
    const identities = { east: "another" };
    deepEqual(await mistakesIn(clusters(), args, { identities }), [
      "context east of cluster east leads to another cluster than before (its kube-system has UID uid of east, and had another): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.east.uid to uid of east and run again",
    ]);
  });
});

describe("a target that is not the cluster it should be", () => {
  /** Why a target is refused, while the other is planned. */
  async function refusal(
    world: ReturnType<typeof clusters>,
    of = args,
    identities: Readonly<Record<string, string>> = {},
  ): Promise<string | undefined> {
    const { inputs, mistakes } = await preview(world, of, { identities });
    deepEqual([mistakes, Object.keys(inputs.mirrors)].flat(), [
      ...(inputs.refused === undefined ? ["west"] : []),
      "north",
    ]);
    return inputs.refused?.["west"];
  }

  it("is refused where its context leads to another cluster than before, and remembered", async () => {
    const identities = { west: "another", east: "uid of east" };
    equal(
      await refusal(clusters(), args, identities),
      "context west of cluster west leads to another cluster than before (its kube-system has UID uid of west, and had another): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.west.uid to uid of west and run again",
    );
    equal(await refusal(clusters(), args, { west: "uid of west" }), undefined);
    const { inputs } = await preview(clusters(), args, { identities });
    equal(inputs.identities?.["west"], "another");
  });

  it("is decided by the config's uid, where it has one", async () => {
    const expecting = (uid: string): MirrorsArgs => ({
      ...args,
      clusters: { ...args.clusters, west: { context: "west", uid } },
    });
    equal(await refusal(clusters(), expecting("uid of west"), { west: "another" }), undefined);
    match(
      (await refusal(clusters(), expecting("third"), { west: "uid of west" })) ?? "",
      /had third/,
    );
  });

  it("is refused where it is the source itself, and two names for one target are not", async () => {
    const same = new MemoryCluster({ ...cluster("west"), identity: "uid of east" });
    equal(
      await refusal({ ...clusters(), west: same }),
      "east and west are the same cluster (its kube-system has UID uid of east): fix the context of one end of link east/west",
    );
    const twin = new MemoryCluster({ ...cluster("west"), identity: "uid of north" });
    deepEqual((await preview({ ...clusters(), west: twin }, args)).inputs.refused, undefined);
  });
});

describe("a cluster that cannot be read", () => {
  const kinds = [
    ["unauthorized", "refused"],
    ["forbidden", "refused"],
    ["unreachable", "unreachable"],
    ["server", "unreachable"],
    ["throttled", "unreachable"],
  ] as const;
  for (const [kind, outcome] of kinds)
    it(`counts as ${outcome} where it answers ${kind}, and its part is left out of the plan`, async () => {
      const world = clusters();
      const error = failing(kind, "west");
      world.west.refuse = () => error;
      const { readings, decided } = await lookedAt(world, args);
      deepEqual(readings.get("west"), { outcome, why: error.message });
      deepEqual([...decided.judged.keys()], ["north", "federated"]);
    });

  it("is the source: then nothing is planned, and links that have left are remembered", async () => {
    const world = clusters();
    world.east.refuse = () => failing("unreachable", "east");
    const before = { links: [{ source: "east", target: "south", maxDeletions: 3 }] };
    const found = await look(world, args, before);
    deepEqual(found.outcome === "sourceUnreadable" && found.removed, [
      { source: "east", target: "south", maxDeletions: 3 },
    ]);
  });

  const db = headless("shop/db");
  const pair = [{ target: "west", headless: true }];

  /** A source with mirrors of db-0 and db-1, of which the target lists the first alone by now. */
  async function oneAway() {
    const { east } = clusters();
    const list = (...names: string[]) =>
      new MemoryCluster(
        exporting("west", [db], { endpoints: [endpoints("shop/db", [pods(names)])] }),
      );
    await up({ east, west: list("db-0", "db-1") }, argsFor(pair));
    return { east, west: list("db-0") };
  }

  it("may keep its StatefulSets to itself: then pods are judged as if there were none", async () => {
    const world = await oneAway();
    world.west.refuse = (request) =>
      request === "list statefulsets"
        ? failing("forbidden", "west", "list", resources.statefulSets)
        : undefined;
    const { decided } = await lookedAt(world, argsFor(pair));
    deepEqual(decided.missing, { "shop/db-1-west": written });
  });

  it("is one whose StatefulSets cannot be read just now, when a pod is away", async () => {
    for (const kind of ["server", "unauthorized"] as const) {
      const world = await oneAway();
      const error = failing(kind, "west", "list", resources.statefulSets);
      world.west.refuse = (request) => (request === "list statefulsets" ? error : undefined);
      const { readings, decided } = await lookedAt(world, argsFor(pair));
      deepEqual(readings.get("west"), {
        outcome: kind === "server" ? "unreachable" : "refused",
        why: error.message,
      });
      deepEqual([...decided.judged.keys()], ["federated"]);
      const strict = argsFor([{ target: "west", headless: true, unreachable: "fail" }]);
      deepEqual(await mistakesIn(world, strict), [error.message]);
    }
  });

  it("has its StatefulSets asked where a pod is away", async () => {
    const { east, west } = await oneAway();
    const there = new MemoryCluster(await west.snapshot(), {
      statefulSets: [
        { metadata: { namespace: "shop", name: "db" }, spec: { serviceName: "db", replicas: 1 } },
      ],
    });
    await up({ east, west: there }, argsFor(pair));
    deepEqual(await mirrorsIn(east), ["shop/db-0-west", "shop/db-west"]);
  });
});
