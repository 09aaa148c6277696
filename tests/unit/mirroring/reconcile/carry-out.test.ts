import { deepEqual, equal } from "node:assert/strict";
import type { LinkResource } from "../../../../engine/kubernetes/objects/link-resource.ts";
import { confirmedBy, markersOf, ourManager, unmarked } from "../../fixtures/marks.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, exported } from "../../fixtures/objects.ts";
import {
  args,
  expectFacts,
  fresh,
  refusing,
  secondRun,
  unreachable,
  viaDiscovery,
  web,
  west,
} from "../../fixtures/settled.ts";
import {
  argsFor,
  exporting,
  gatewayService,
  linkObject,
  type LivingClusters,
  made,
  mirrorsIn,
  preview,
  up,
  World,
} from "../../fixtures/world.ts";

describe("a run", () => {
  it("writes Services before Endpoints, in the name of its stack, and once", async () => {
    const clusters = fresh();
    const inputs = await up(clusters, args);
    deepEqual(await made(clusters, inputs), []);
    deepEqual(clusters.east.writes, [
      "create services shop/web-west",
      "create services shop/api-north",
      "create endpoints shop/web-west",
    ]);
    const { services } = await clusters.east.snapshot();
    deepEqual(markersOf(services.get("shop/web-west")), [ourManager]);
  });

  it("marks what nobody has marked, and what it adopts from another stack, without changing it", async () => {
    const other = "acme/other/prod";
    const adopting = argsFor([{ target: "west", adoptFrom: [other] }, "north"]);
    for (const [edit, of] of [
      [unmarked, args],
      [(live: typeof web) => confirmedBy(other, unmarked(live)), adopting],
    ] as const) {
      const { clusters, failures } = await secondRun({ edit, args: of });
      deepEqual([failures, clusters.east.writes], [[], ["update services shop/web-west"]]);
      const { services } = await clusters.east.snapshot();
      deepEqual(markersOf(services.get("shop/web-west")), [ourManager]);
    }
  });
});

describe("a run that cannot do all", () => {
  const another = (name: string) => new MemoryCluster({ ...cluster(name), identity: "another" });
  const strict = argsFor([{ target: "west", maxDeletions: 0 }, "north"]);
  const none = { failures: [] };
  const rest = { left: ["shop/api-north"] };
  const down = { west: unreachable("west") };
  const blind = { east: unreachable("east") };
  const rows: [
    rule: string,
    inPreview: LivingClusters,
    since: LivingClusters,
    expected: Readonly<Record<string, unknown>>,
  ][] = [
    [
      "is an error where a target goes down after the preview, and the rest is done",
      {},
      down,
      { ...rest, failures: /^cluster west can't be reached[^;]*; [^;]*$/ },
    ],
    [
      "is none where the preview has said that a target is out of reach",
      down,
      {},
      { ...none, ...rest },
    ],
    ["is none where the preview has said that the source is", blind, {}, { ...none, left: [] }],
    [
      "is an error where the source goes down after the preview",
      {},
      blind,
      { failures: /^Error: cluster east can't be reached/ },
    ],
    [
      "is an error each time where a target refuses, and the rest is done",
      { west: refusing("west") },
      {},
      { ...rest, failures: /^cluster west refuses to list/ },
    ],
    [
      "is an error each time where the source refuses",
      { east: refusing("east") },
      {},
      { failures: /^Error: cluster east refuses/ },
    ],
    [
      "leaves a link alone whose context leads to another cluster by now, and does the others",
      {},
      { west: another("west") },
      {
        ...rest,
        failures: /^context west of cluster west leads to another cluster than before[^\n]*$/,
      },
    ],
    [
      "does nothing at all where the source's own context leads to another cluster by now",
      {},
      { east: another("east") },
      { writes: [], failures: /^Error: context east of cluster east leads to another cluster/ },
    ],
  ];
  for (const [rule, inPreview, since, expected] of rows)
    it(rule, async () => {
      const clusters = fresh(inPreview);
      const { inputs } = await preview(clusters, args);
      const then = { ...clusters, ...since };
      const failures = await made(then, inputs).catch((error: unknown) => [String(error)]);
      const east = then.east;
      const left = [...east.all("services").keys()].filter((key) => key.startsWith("shop/"));
      expectFacts({ failures, left, writes: east.writes }, expected);
    });

  it("leaves a part alone that would now delete too much, and does the others", async () => {
    const clusters = fresh();
    const inputs = await up(clusters, strict);
    const north = new MemoryCluster(exporting("north", [viaDiscovery, exported("shop/db")]));
    const { inputs: next } = await preview({ ...clusters, north }, strict, inputs);
    const failures = await made({ ...clusters, north, west: west() }, next);
    expectFacts(
      { failures, left: await mirrorsIn(clusters.east) },
      {
        failures: /^link east\/west would delete 1 of its 1 mirror on east[^\n]*$/,
        left: ["shop/api-north", "shop/db-north", "shop/web-west"],
      },
    );
  });

  it("names each mirror that fails once, and does the rest", async () => {
    const clusters = fresh();
    clusters.east.refuse = (request) =>
      request === "create services shop/web-west" ? "invalid" : undefined;
    const { inputs } = await preview(clusters, args);
    expectFacts(
      { failures: await made(clusters, inputs), left: await mirrorsIn(clusters.east) },
      { ...rest, failures: /^cluster east rejects [^\n]* create Service shop\/web-west[^\n]*$/ },
    );
  });
});

describe("a run that has just made a Link or a gateway", () => {
  const of = {
    ...argsFor(["west"]),
    statusIn: "linkerd-multicluster",
    observedGateways: {
      west: { addresses: ["192.0.2.10"], port: 4143, identity: "gateway.west" },
    },
  };
  const linked = (...targets: string[]) =>
    new MemoryCluster(cluster("east", { namespaces: ["shop"] }), {
      links: targets.map((target) => linkObject(target)),
    });
  const target = (...services: (typeof web)[]) => new MemoryCluster(cluster("west", { services }));
  const moved = gatewayService("west", "192.0.2.99");
  const flat = { ...of, links: [{ source: "east", target: "west", gateway: false as const }] };

  for (const [rule, clusters, said, expected] of [
    [
      "does with what it has read where that knows of both",
      { east: linked("west"), west: west(web) },
      of,
      { east: 0, west: 0 },
    ],
    [
      "reads the source once more where its Link is not known, and not for ever",
      { east: linked(), west: west(web) },
      of,
      { east: 1, west: 0 },
    ],
    [
      "reads a target once more whose gateway is not where it was found",
      { east: linked("west"), west: target(moved, web) },
      of,
      { east: 0, west: 1 },
    ],
    [
      "reads a target once more whose gateway is not there",
      { east: linked("west"), west: target(web) },
      of,
      { east: 0, west: 1 },
    ],
    [
      "does not look for a gateway where the link has none",
      { east: linked("west"), west: target(viaDiscovery) },
      flat,
      { east: 0, west: 0 },
    ],
    [
      "does not look for a gateway where nobody has found one",
      { east: linked("west"), west: target(viaDiscovery) },
      { ...of, observedGateways: {} },
      { east: 0, west: 0 },
    ],
  ] as const)
    it(rule, async () => {
      const { inputs } = await preview(clusters, said);
      const world = new World(clusters);
      const lists = { east: 0, west: 0 };
      for (const name of ["east", "west"] as const) {
        await world.snapshot(name, { context: name });
        clusters[name].refuse = (request) => {
          if (request === "list services") lists[name] += 1;
          return undefined;
        };
      }
      await made(world, inputs);
      deepEqual(lists, expected);
    });

  it("writes the Link's status with what has failed, whatever else has changed in the Link meanwhile", async () => {
    const clusters = { east: linked("west"), west: west(web, exported("shop/db")) };
    const { inputs } = await preview(clusters, of);
    const spec = { targetClusterName: "west", gatewayAddress: "192.0.2.99" };
    clusters.east.refuse = (request) => {
      if (request !== "create services shop/db-west") return undefined;
      clusters.east.edit("links", "linkerd-multicluster/west", { spec });
      return "invalid";
    };
    equal((await made(clusters, inputs)).length, 1);
    const link: unknown = clusters.east.get("links", "linkerd-multicluster/west");
    const { status, spec: left } = link as LinkResource;
    deepEqual(left, spec);
    const entries = status?.mirrorServices ?? [];
    deepEqual(
      entries.map(({ remoteRef, conditions = [] }) => [remoteRef.name, conditions[0]?.reason]),
      [
        ["db", "Error"],
        ["web", "Mirrored"],
      ],
    );
  });

  it("does not fail for a Link's status that can't be written, but says so", async () => {
    const clusters = { east: linked("west"), west: west(web) };
    const { inputs } = await preview(clusters, of);
    clusters.east.refuse = (request) => (request.startsWith("patch links") ? "invalid" : undefined);
    const lines: string[] = [];
    deepEqual(await made(clusters, inputs, (line) => lines.push(line)), []);
    expectFacts(
      { lines, left: await mirrorsIn(clusters.east) },
      {
        lines:
          /^the status of Link linkerd-multicluster\/west stays as it was, because cluster east rejects [^\n]*$/,
        left: ["shop/web-west"],
      },
    );
    const again = await preview(clusters, of, inputs);
    equal(again.inputs.revision, inputs.revision + 1);
  });
});
