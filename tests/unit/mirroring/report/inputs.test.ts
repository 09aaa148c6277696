import { deepEqual, equal, match } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { mirrorsBefore } from "../../../../engine/mirroring/model/state.ts";
import { withAnnotations } from "../../fixtures/edited.ts";
import { member } from "../../fixtures/federation.ts";
import { confirmedBy, unmarked } from "../../fixtures/marks.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import {
  cluster,
  endpoints,
  exported,
  headless,
  later,
  pods,
  written,
} from "../../fixtures/objects.ts";
import {
  alias,
  args,
  editedEast,
  expectFacts,
  fresh,
  refusing,
  secondRun,
  settled,
  unreachable,
  web,
  west,
} from "../../fixtures/settled.ts";
import { argsFor, exporting, made, preview, up } from "../../fixtures/world.ts";

const broken = west(web, exported("shop/db", {}, alias));

describe("what inputs list by part", () => {
  it("is each mirror in a line, federated Services under a name of their own", async () => {
    const { inputs } = await preview(fresh({ west: west(web, member("shop/bb")) }), args);
    deepEqual(inputs.mirrors, {
      west: { "shop/web-west": "gateway mirror of web: http 80→8080/TCP" },
      north: { "shop/api-north": "remote-discovery mirror of api: http 80→8080/TCP" },
      federated: { "shop/bb-federated": "federated Service of bb@west: http 80→8080/TCP" },
    });
  });

  it("is each Service that is not mirrored, which the terminal is told as well", async () => {
    const { clusters, before } = await settled();
    const { inputs, notes } = await preview({ ...clusters, west: broken }, args, before);
    const sentence = "an ExternalName Service is an alias in DNS: export the Service it stands for";
    deepEqual(inputs.notMirrored, { west: { "shop/db": `ExternalName: ${sentence}` } });
    deepEqual(notes, [`east <- west: shop/db is not mirrored (ExternalName): ${sentence}`]);
    const again = await preview({ ...clusters, west: broken }, args, inputs);
    equal(again.inputs.revision, inputs.revision);
  });

  it("is each change of a mirror that stays, kept until a run has nothing to do or the mirror is gone", async () => {
    const setting = await settled();
    const remoteName = "mirror.linkerd.io/remote-svc-fq-name";
    const east = await editedEast(setting, withAnnotations({ [remoteName]: "x" }));
    const clusters = { ...setting.clusters, east };
    const drifted = await preview(clusters, args, setting.before);
    const field = `annotation ${remoteName}`;
    deepEqual(drifted.inputs.changes, {
      west: { "shop/web-west": { [field]: '"x" → "web.shop.svc.cluster.local"' } },
    });
    const again = await preview(clusters, args, drifted.inputs);
    match(again.inputs.changes?.["west"]?.["shop/web-west"]?.[field] ?? "", /\(again\)$/);
    const other = { ...setting.clusters, west: west(web, exported("shop/db")) };
    const kept = await preview(other, args, drifted.inputs);
    deepEqual(kept.inputs.changes, drifted.inputs.changes);
    const without = { ...setting.clusters, west: west(exported("shop/db")) };
    const gone = await preview(without, args, drifted.inputs);
    deepEqual(gone.inputs.changes, undefined);
    const clean = await preview(setting.clusters, args, drifted.inputs);
    deepEqual([clean.inputs.changes, clean.inputs.revision], [undefined, 2]);
  });

  it("is nothing at all of a run that has to be stopped, but for the mistakes", async () => {
    const { clusters, before } = await settled();
    deepEqual(await preview({ ...clusters, west: undefined }, args, before), {
      inputs: { ...args, mirrors: {}, revision: 0 },
      ...{ mistakes: ["cluster west: there is no context west"], notes: [], summaries: [] },
      hasWrites: false,
    });
  });

  it("is everything of a link that would delete too much, while the others go on", async () => {
    const why = /link east\/west would delete 1 of its 1 mirror on east/;
    const north = new MemoryCluster(exporting("north", [exported("shop/new")]));
    const { inputs, ...facts } = await secondRun({
      args: argsFor([{ target: "west", maxDeletions: 0 }, "north"]),
      clusters: { west: west(), north },
    });
    expectFacts(facts, {
      ...{ refused: why, failures: why, notes: /^east <- west: .*link east\/west would delete/m },
      left: ["shop/new-north", "shop/web-west"],
    });
    deepEqual(Object.keys(mirrorsBefore(inputs, "west")), ["shop/web-west"]);
    deepEqual(Object.keys(mirrorsBefore(inputs, "north")), ["shop/new-north"]);
  });
});

describe("what inputs show of a gateway that this run is yet to make", () => {
  const awaited = { ...args, observedGateways: { west: "to be made" } };

  it("is the mirrors that come, and what is not mirrored", async () => {
    const target = new MemoryCluster(
      cluster("west", { services: [web, exported("elsewhere/api")] }),
    );
    const { inputs } = await preview(fresh({ west: target }), awaited);
    deepEqual(mirrorsBefore(inputs, "west"), {
      "shop/web-west": "gateway mirror of web: http 80→8080/TCP",
    });
    deepEqual(Object.keys(inputs.gateways ?? {}), ["north"]);
    deepEqual(Object.keys(inputs.notMirrored?.["west"] ?? {}), ["elsewhere/api"]);
  });

  it("is nothing of mirrors that exist, with nothing made up about them", async () => {
    const { clusters, before } = await settled();
    const none = new MemoryCluster(cluster("west", { services: [exported("shop/db")] }));
    const { inputs, notes } = await preview({ ...clusters, west: none }, awaited, before);
    const north = mirrorsBefore(before, "north");
    deepEqual([inputs.mirrors, inputs.changes], [{ west: "to be made", north }, undefined]);
    deepEqual(notes, []);
  });

  it("is no matter for other links", async () => {
    const { clusters, before } = await settled();
    const { inputs } = await preview(clusters, awaited, { ...before, mirrors: {} });
    deepEqual(Object.keys(inputs.changes ?? {}), ["north"]);
  });
});

describe("what inputs keep of a cluster that cannot be read", () => {
  for (const [outcome, away] of [
    ["unreachable", unreachable],
    ["refused", refusing],
  ] as const)
    it(`is all that the run before knew, where a target is ${outcome}`, async () => {
      const { clusters, before } = await settled({ west: broken });
      const there = { ...clusters, west: away("west") };
      const { inputs, notes } = await preview(there, args, before);
      const { mirrors, notMirrored, gateways, identities, refused = {} } = inputs;
      expectFacts(
        { mirrors, notMirrored, gateways, identities, notes },
        {
          ...{ mirrors: before.mirrors, notMirrored: before.notMirrored },
          ...{ gateways: before.gateways, identities: before.identities },
          notes: /^east <- west: its mirrors stay as they are, because cluster west [^\n]*$/,
        },
      );
      const isAway = outcome === "unreachable";
      deepEqual(inputs.unreachable, isAway ? ["west"] : undefined);
      deepEqual(Object.keys(refused), isAway ? [] : ["west"]);
      equal(inputs.revision, 2);
      // Why it is out of reach is only told: a saved plan holds. One that refuses is an error each time.
      if (isAway) there.west.refuse = () => "late";
      const again = await preview(there, args, inputs);
      deepEqual(again.inputs, { ...inputs, revision: isAway ? 2 : 3 });
      deepEqual((await preview(clusters, args, again.inputs)).inputs.unreachable, undefined);
    });

  it("names clusters out of reach in one order, whatever the order of the links", async () => {
    const { clusters, before } = await settled();
    const away = { ...clusters, west: unreachable("west"), north: unreachable("north") };
    const { inputs } = await preview(away, argsFor(["west", "north"]), before);
    deepEqual(inputs.unreachable, ["north", "west"]);
  });

  it("is everything where the source is out of reach, and the links that have left", async () => {
    const { clusters, before } = await settled();
    const known = { ...before, changes: { west: {} }, notMirrored: { west: { a: "b" } } };
    const away = { ...clusters, east: unreachable("east") };
    const { inputs, notes, mistakes } = await preview(away, argsFor(["west"]), known);
    deepEqual(inputs, {
      ...{ ...known, ...argsFor(["west"]), revision: 2, unreachable: ["east"] },
      removedLinks: [{ source: "east", target: "north" }],
    });
    deepEqual(mistakes, []);
    match(notes.join(), /^east: its mirrors stay as they are, because cluster east can't be/);
    deepEqual((await preview(away, argsFor(["west"]), inputs)).inputs, inputs);
  });
});

describe("what inputs remember", () => {
  it("is who the clusters are and where gateways, and no longer those that have left", async () => {
    const { clusters, before } = await settled();
    deepEqual(Object.keys(before.identities ?? {}), ["east", "west", "north"]);
    const { inputs } = await preview(clusters, argsFor(["west"]), before);
    deepEqual(inputs.identities, { east: "uid-of-east", west: "uid-of-west" });
    deepEqual(Object.keys(inputs.gateways ?? {}), ["west"]);
  });

  it("is what the stack was called, until a run has renewed all marks", async () => {
    const { clusters, before } = await settled();
    const renamed = { ...args, stack: "acme/mesh/b" };
    const checked = await preview(clusters, renamed, before);
    // Its own mirrors are known by the old name.
    deepEqual([checked.inputs.formerStacks, checked.notes], [["acme/mesh/dev"], []]);
    const again = await preview(clusters, renamed, await up(clusters, renamed, before));
    deepEqual(again.inputs.formerStacks, undefined);
    const away = { ...clusters, east: unreachable("east") };
    const blind = await preview(away, renamed, before);
    deepEqual(blind.inputs.formerStacks, ["acme/mesh/dev"]);
  });
});

describe("what inputs say of a pod that is missing", () => {
  const pair = argsFor([{ target: "west", headless: true }]);
  const listing = (...names: string[]) => writtenAt(written, ...names);
  const writtenAt = (time: string, ...names: string[]) =>
    new MemoryCluster(
      exporting("west", [headless("shop/db")], {
        endpoints: [endpoints("shop/db", [pods(names)], { managedFields: [entryAt(time)] })],
      }),
    );
  const by = { manager: "kube-controller-manager", operation: "Update" };
  const entryAt = (time: string) => ({ ...by, time, fieldsV1: { "f:subsets": {} } });
  const missing = async () => {
    const { clusters, before } = await settled({ west: listing("db-0", "db-1") }, pair);
    const away = { ...clusters, west: listing("db-0") };
    return { clusters, before, away, first: await preview(away, pair, before) };
  };

  it("is the last time that its Endpoints were written, whatever an earlier run has found", async () => {
    const { clusters, before, first } = await missing();
    const since = "2026-01-02T04:00:00Z";
    const again = { ...clusters, west: writtenAt(since, "db-0") };
    const { inputs } = await preview(again, pair, first.inputs, later);
    deepEqual(inputs.missing, { "shop/db-1-west": since });
    deepEqual(inputs.mirrors, before.mirrors);
  });

  it("is since when: told with the end, then gone and forgotten", async () => {
    const { away, before, first } = await missing();
    deepEqual(first.inputs.missing, { "shop/db-1-west": written });
    deepEqual([first.inputs.mirrors, first.inputs.revision], [before.mirrors, before.revision]);
    deepEqual(first.notes, [
      `east: the pod of shop/db-1-west is away since ${written} and has no StatefulSet: its mirror goes with the first run after 2026-01-02T03:09:00.000Z`,
    ]);
    const second = await preview(away, pair, first.inputs, later);
    deepEqual(second.inputs.missing, undefined);
    deepEqual(second.notes, ["east <- west: ~1 -1 (~ shop/db-west; - shop/db-1-west)"]);
    equal(second.inputs.revision, first.inputs.revision + 1);
    await made(away, second.inputs, undefined, later);
    const third = await preview(away, pair, second.inputs, later);
    deepEqual([third.inputs.missing, third.inputs.revision], [undefined, second.inputs.revision]);
  });

  it("is no reason for an update to delete what its check has kept", async () => {
    const { clusters, away, first } = await missing();
    await made(away, first.inputs, undefined, later);
    equal((await clusters.east.snapshot()).services.has("shop/db-1-west"), true);
  });

  it("is nothing while its cluster cannot be read", async () => {
    const { clusters, away, first } = await missing();
    for (const blind of [{ west: unreachable("west") }, { east: unreachable("east") }]) {
      const { inputs } = await preview({ ...clusters, ...away, ...blind }, pair, first.inputs);
      equal(inputs.missing, undefined);
    }
  });
});

describe("a mirror that two stacks have", () => {
  it("stays as it is, and both are told", async () => {
    const { changes, notes, writes } = await secondRun({
      edit: (live: Service) => confirmedBy("other/prod", live),
    });
    const note =
      "east <- west: another stack mirrors this as well (other/prod): take it out of one of the two";
    deepEqual([changes, notes, writes], [undefined, [note], []]);
  });

  it("is not this stack's to change or to mark where the other one alone has marked it", async () => {
    const edit = (live: Service) =>
      confirmedBy(
        "other/prod",
        unmarked({ ...live, spec: { ...live.spec, ports: [{ port: 1 }] } }),
      );
    const { writes, inputs } = await secondRun({ edit });
    deepEqual(writes, []);
    match(
      inputs.notMirrored?.["west"]?.["shop/web"] ?? "",
      /^NotOurs: the mirror east\/shop\/web-west is stack other\/prod's: .* adoptFrom on the link$/,
    );
  });
});
