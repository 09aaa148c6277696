import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { systemTime } from "../../../../engine/kubernetes/client/retry.ts";
import { failing } from "../../fixtures/failing.ts";
import { confirmedBy, markersOf, ourManager, unmarked } from "../../fixtures/marks.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, endpoints, exported, headless, later, pods } from "../../fixtures/objects.ts";
import {
  args,
  editedEast,
  refusing,
  settled,
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
  made,
  mirrorsIn,
  preview,
  World,
} from "../../fixtures/world.ts";

/** A source and its targets before the first run, and what `check` has found. */
async function fresh(more: Record<string, MemoryCluster> = {}, of = args) {
  const clusters = {
    east: new MemoryCluster(cluster("east", { namespaces: ["shop"] })),
    west: west(web),
    north: new MemoryCluster(exporting("north", [viaDiscovery])),
    ...more,
  };
  return { clusters, inputs: (await preview(clusters, of)).inputs };
}

describe("a run", () => {
  it("writes Services before Endpoints, in the name of its stack", async () => {
    const { clusters, inputs } = await fresh();
    deepEqual(await made(clusters, inputs), []);
    deepEqual(clusters.east.writes, [
      "create services shop/web-west",
      "create services shop/api-north",
      "create endpoints shop/web-west",
    ]);
    const { services } = await clusters.east.snapshot();
    deepEqual(markersOf(services.get("shop/web-west")), [ourManager]);
  });

  it("finds done what a run before has done", async () => {
    const { clusters, inputs } = await fresh();
    await made(clusters, inputs);
    const { length } = clusters.east.writes;
    deepEqual(await made(clusters, inputs), []);
    equal(clusters.east.writes.length, length);
  });

  it("says how far it is", async () => {
    const { clusters, inputs } = await fresh();
    let now = 0;
    const world = new World(clusters, { ...systemTime, now: () => (now += 2_000) });
    const lines: string[] = [];
    await made(world, inputs, (line) => lines.push(line));
    match(lines[0] ?? "", /^mirroring: 1\/2/);
  });

  it("confirms what another stack alone has made, without changing it", async () => {
    const setting = await settled();
    const east = await editedEast(setting, (live) => confirmedBy("other/prod", unmarked(live)));
    const clusters = { ...setting.clusters, east };
    const { inputs } = await preview(clusters, args, setting.before);
    deepEqual(await made(clusters, inputs), []);
    deepEqual(east.writes, ["apply services shop/web-west"]);
    const { services } = await east.snapshot();
    deepEqual(markersOf(services.get("shop/web-west")), [
      ourManager,
      "linkerd-multicluster/other/prod",
    ]);
  });

  it("deletes a pod's mirror once it is missing for long, as its own preview says", async () => {
    const db = headless("shop/db");
    const pair = argsFor([{ target: "west", headless: true }]);
    const target = (...names: string[]) =>
      new MemoryCluster(
        exporting("west", [db], { endpoints: [endpoints("shop/db", [pods(names)])] }),
      );
    const { clusters, before } = await settled({ west: target("db-0", "db-1") }, pair);
    const away = { ...clusters, west: target("db-0") };
    const first = (await preview(away, pair, before)).inputs;
    deepEqual(await made(away, first), []);
    deepEqual((await mirrorsIn(clusters.east)).includes("shop/db-1-west"), true);
    const second = (await preview(away, pair, first, later)).inputs;
    deepEqual(await made(away, second, undefined, later), []);
    deepEqual((await mirrorsIn(clusters.east)).includes("shop/db-1-west"), false);
  });
});

describe("a run that cannot do all", () => {
  it("is an error where a target goes down after the preview, and the rest is done", async () => {
    const { clusters, inputs } = await fresh();
    const down = { ...clusters, west: unreachable("west") };
    const [sentence = "", ...more] = await made(down, inputs);
    match(sentence, /^cluster west can't be reached/);
    deepEqual([more, await mirrorsIn(clusters.east)], [[], ["shop/api-north"]]);
  });

  it("is none where the preview has said that a cluster is out of reach", async () => {
    const { clusters, inputs } = await fresh({ west: unreachable("west") });
    deepEqual(await made(clusters, inputs), []);
    const blind = await fresh({ east: unreachable("east") });
    deepEqual(await made(blind.clusters, blind.inputs), []);
  });

  it("is an error where the source goes down after the preview", async () => {
    const { clusters, inputs } = await fresh();
    await rejects(made({ ...clusters, east: unreachable("east") }, inputs), {
      message: /^cluster east can't be reached/,
    });
  });

  it("is an error each time where a cluster refuses, and the rest is done", async () => {
    const { clusters, inputs } = await fresh({ west: refusing("west") });
    const [sentence = ""] = await made(clusters, inputs);
    match(sentence, /^cluster west refuses to list/);
    deepEqual(await mirrorsIn(clusters.east), ["shop/api-north"]);
    const refused = await fresh({ east: refusing("east") });
    await rejects(made(refused.clusters, refused.inputs), /^Error: cluster east refuses/);
  });

  it("leaves a link alone whose context leads to another cluster by now, and does the others", async () => {
    const { clusters, inputs } = await fresh();
    const another = new MemoryCluster({ ...cluster("west"), identity: "another" });
    const [sentence = "", ...more] = await made({ ...clusters, west: another }, inputs);
    match(sentence, /^context west of cluster west leads to another cluster than before/);
    deepEqual([more, await mirrorsIn(clusters.east)], [[], ["shop/api-north"]]);
  });

  it("does nothing at all where the source's own context leads to another cluster by now", async () => {
    const { clusters, inputs } = await fresh();
    const another = new MemoryCluster({ ...cluster("east"), identity: "another" });
    await rejects(made({ ...clusters, east: another }, inputs), {
      message: /^context east of cluster east leads to another cluster than before/,
    });
    deepEqual(another.writes, []);
  });

  it("leaves a part alone that would now delete too much, and does the others", async () => {
    const strict = argsFor([{ target: "west", maxDeletions: 0 }, "north"]);
    const setting = await settled({}, strict);
    const clusters = {
      ...setting.clusters,
      north: new MemoryCluster(exporting("north", [viaDiscovery, exported("shop/db")])),
    };
    const { inputs } = await preview(clusters, strict, setting.before);
    const [sentence = "", ...more] = await made({ ...clusters, west: west() }, inputs);
    match(sentence, /^link east\/west would delete 1 of its 1 mirror on east/);
    deepEqual(
      [more, await mirrorsIn(clusters.east)],
      [[], ["shop/api-north", "shop/db-north", "shop/web-west"]],
    );
  });

  it("names each mirror that fails once, and does the rest", async () => {
    const { clusters, inputs } = await fresh();
    clusters.east.refuse = (request) =>
      request === "create services shop/web-west" ? new Error("web-west is refused") : undefined;
    deepEqual(await made(clusters, inputs), ["web-west is refused"]);
    deepEqual(await mirrorsIn(clusters.east), ["shop/api-north"]);
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
  const namespaces = ["shop"];

  /** How often each cluster is read by the second half, in the process of the first. */
  async function readings(change: {
    readonly east?: boolean;
    readonly west?: MemoryCluster;
    readonly of?: typeof of;
  }) {
    const said = change.of ?? of;
    const links = change.east === false ? [] : [linkObject("west")];
    const east = new MemoryCluster(cluster("east", { namespaces }), { links });
    const clusters = { east, west: change.west ?? west(web) };
    const { inputs } = await preview(clusters, said);
    const world = new World(clusters);
    const lists = { east: 0, west: 0 };
    for (const name of ["east", "west"] as const) {
      await world.snapshot(name, { context: name });
      clusters[name].refuse = (request) => {
        if (request === `list ${resources.services.plural}`) lists[name] += 1;
        return undefined;
      };
    }
    await made(world, inputs);
    return lists;
  }

  it("does with what it has read where that knows of both", async () => {
    deepEqual(await readings({}), { east: 0, west: 0 });
  });

  it("reads the source once more where its Link is not known, and not for ever", async () => {
    deepEqual(await readings({ east: false }), { east: 1, west: 0 });
  });

  it("reads a target once more whose gateway is not where it was found", async () => {
    const gateway = gatewayService("west", "192.0.2.99");
    const moved = cluster("west", { services: [gateway, web] });
    deepEqual(await readings({ west: new MemoryCluster(moved) }), { east: 0, west: 1 });
    const none = cluster("west", { services: [web] });
    deepEqual(await readings({ west: new MemoryCluster(none) }), { east: 0, west: 1 });
  });

  it("does not look for a gateway where the link has none, or nobody has found one", async () => {
    const none = () => new MemoryCluster(cluster("west", { services: [viaDiscovery] }));
    const flat = { ...of, links: [{ source: "east", target: "west", gateway: false as const }] };
    deepEqual(await readings({ west: none(), of: flat }), { east: 0, west: 0 });
    const unseen = { ...of, observedGateways: {} as typeof of.observedGateways };
    deepEqual(await readings({ west: none(), of: unseen }), { east: 0, west: 0 });
  });

  it("writes the Link's status with what has failed", async () => {
    const east = new MemoryCluster(cluster("east", { namespaces }), {
      links: [linkObject("west")],
    });
    const clusters = { east, west: west(web, exported("shop/db")) };
    const { inputs } = await preview(clusters, of);
    east.refuse = (request) =>
      request === "create services shop/db-west" ? failing("invalid", "east", "create") : undefined;
    equal((await made(clusters, inputs)).length, 1);
    const { links } = await east.snapshot();
    const entries = links?.get("linkerd-multicluster/west")?.status?.mirrorServices ?? [];
    deepEqual(
      entries.map(({ remoteRef, conditions = [] }) => [remoteRef.name, conditions[0]?.reason]),
      [
        ["db", "Error"],
        ["web", "Mirrored"],
      ],
    );
  });

  it("does not fail for a Link's status that can't be written, but says so", async () => {
    const east = new MemoryCluster(cluster("east", { namespaces }), {
      links: [linkObject("west")],
    });
    const clusters = { east, west: west(web) };
    const { inputs } = await preview(clusters, of);
    east.refuse = (request) =>
      request.startsWith("patch links") ? new Error("it is too large") : undefined;
    const lines: string[] = [];
    deepEqual(await made(clusters, inputs, (line) => lines.push(line)), []);
    deepEqual(lines, [
      "the status of Link linkerd-multicluster/west stays as it was, because it is too large",
    ]);
    deepEqual(await mirrorsIn(east), ["shop/web-west"]);
    const again = await preview(clusters, of, inputs);
    equal(again.inputs.revision, inputs.revision + 1);
  });
});
