import { deepEqual, equal, match } from "node:assert/strict";
import type { ObjectKey, Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { federatedPart } from "../../../../engine/mirroring/model/owner.ts";
import { withAnnotations } from "../../fixtures/edited.ts";
import { member } from "../../fixtures/federation.ts";
import { confirmedBy, unmarked } from "../../fixtures/marks.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { endpoints, exported, headless, later, pods, written } from "../../fixtures/objects.ts";
import {
  args,
  editedEast,
  refusing,
  settled,
  unreachable,
  web,
  west,
} from "../../fixtures/settled.ts";
import { argsFor, exporting, made, preview, up } from "../../fixtures/world.ts";

describe("what inputs list by part", () => {
  it("is each mirror in a line, federated Services under a name of their own", async () => {
    const { clusters } = await settled();
    const more = { ...clusters, west: west(web, member("shop/bb")) };
    const { inputs } = await preview(more, args);
    deepEqual(inputs.mirrors, {
      west: { "shop/web-west": "gateway mirror of web: http 80→8080/TCP" },
      north: { "shop/api-north": "remote-discovery mirror of api: http 80→8080/TCP" },
      federated: { "shop/bb-federated": "federated Service of bb@west: http 80→8080/TCP" },
    });
  });

  it("is each Service that is not mirrored, which the terminal is told as well", async () => {
    const { clusters, before } = await settled();
    const broken = { ...clusters, west: west(web, exported("shop/db", {}, { ports: [] })) };
    const { inputs, notes } = await preview(broken, args, before);
    const sentence = "it has no ports: give it at least one, which its mirror can then have too";
    deepEqual(inputs.notMirrored, { west: { "shop/db": `NoPorts: ${sentence}` } });
    deepEqual(notes, [`east <- west: shop/db is not mirrored (NoPorts): ${sentence}`]);
    equal((await preview(broken, args, inputs)).inputs.revision, inputs.revision);
  });

  it("is each change of a mirror that stays, kept until a run has nothing to do", async () => {
    const setting = await settled();
    const east = await editedEast(
      setting,
      withAnnotations({ "mirror.linkerd.io/remote-svc-fq-name": "x" }),
    );
    const clusters = { ...setting.clusters, east };
    const drifted = await preview(clusters, args, setting.before);
    const field = "annotation mirror.linkerd.io/remote-svc-fq-name";
    deepEqual(drifted.inputs.changes, {
      west: { "shop/web-west": { [field]: '"x" → "web.shop.svc.cluster.local"' } },
    });
    const again = await preview(clusters, args, drifted.inputs);
    match(again.inputs.changes?.["west"]?.["shop/web-west"]?.[field] ?? "", /\(again\)$/);
    const other = { ...clusters, west: west(web, exported("shop/db")) };
    const kept = await preview({ ...other, east: setting.clusters.east }, args, drifted.inputs);
    deepEqual(kept.inputs.changes, drifted.inputs.changes);
    const clean = await preview(setting.clusters, args, drifted.inputs);
    deepEqual([clean.inputs.changes, clean.inputs.revision], [undefined, 2]);
  });

  it("is nothing at all of a run that has to be stopped, but for the mistakes", async () => {
    const { clusters, before } = await settled();
    const checked = await preview({ ...clusters, west: undefined }, args, before);
    deepEqual(checked, {
      inputs: { ...args, mirrors: {}, revision: 0 },
      mistakes: ["cluster west: there is no context west"],
      notes: [],
      hasWrites: false,
    });
  });

  it("is everything of a link that would delete too much, while the others go on", async () => {
    const { clusters, before } = await settled();
    const strict = argsFor([{ target: "west", maxDeletions: 0 }, "north"]);
    const north = new MemoryCluster(exporting("north", [exported("shop/new")]));
    const world = { ...clusters, west: west(), north };
    const { inputs, mistakes, notes } = await preview(world, strict, before);
    const why = /link east\/west would delete 1 of its 1 mirror on east/;
    match(inputs.refused?.["west"] ?? "", why);
    match(notes.find((note) => note.startsWith("east <- west: ")) ?? "", why);
    const { west: kept, north: others } = inputs.mirrors as Record<string, object>;
    deepEqual(Object.keys(kept ?? {}), ["shop/web-west"]);
    deepEqual(Object.keys(others ?? {}), ["shop/new-north"]);
    deepEqual(mistakes, []);
    match((await made(world, inputs)).join(), why);
    const { services } = await world.east.snapshot();
    deepEqual(
      ["shop/web-west", "shop/new-north"].map((key) => services.has(key as ObjectKey)),
      [true, true],
    );
  });
});

describe("what inputs keep of a target that cannot be read", () => {
  for (const [outcome, away] of [
    ["unreachable", unreachable],
    ["refused", refusing],
  ] as const)
    it(`is all that the run before knew, where it is ${outcome}`, async () => {
      const broken = west(web, exported("shop/db", {}, { ports: [] }));
      const { clusters, before } = await settled({ west: broken });
      const { inputs, notes } = await preview({ ...clusters, west: away("west") }, args, before);
      deepEqual(inputs.mirrors, before.mirrors);
      deepEqual(inputs.notMirrored, before.notMirrored);
      deepEqual(inputs.gateways, before.gateways);
      deepEqual(inputs.identities, before.identities);
      equal(notes.length, 1);
      match(notes[0] ?? "", /^east <- west: its mirrors stay as they are, because /);
    });

  it("is that it is out of reach, and why is only told: a saved plan holds", async () => {
    const { clusters, before } = await settled();
    const away = { ...clusters, west: unreachable("west") };
    const { inputs, notes } = await preview(away, args, before);
    deepEqual(inputs.unreachable, ["west"]);
    match(notes[0] ?? "", /because cluster west can't be reached/);
    const again = await preview(away, args, inputs);
    deepEqual(again.inputs, inputs);
    deepEqual((await preview(clusters, args, again.inputs)).inputs.unreachable, undefined);
  });

  it("is not its gateway once no link leads there", async () => {
    const { clusters, before } = await settled();
    const { inputs } = await preview(clusters, argsFor(["west"]), before);
    deepEqual(Object.keys(inputs.gateways ?? {}), ["west"]);
  });

  it("is told as refused, and not as out of reach, where the runner lacks a right", async () => {
    const { clusters, before } = await settled();
    const { inputs } = await preview({ ...clusters, west: refusing("west") }, args, before);
    deepEqual([Object.keys(inputs.refused ?? {}), inputs.unreachable], [["west"], undefined]);
  });
});

describe("what inputs keep where the source itself cannot be read", () => {
  it("is everything, and the links that have left meanwhile", async () => {
    const { clusters, before } = await settled();
    const known = { ...before, changes: { west: {} }, notMirrored: { west: { a: "b" } } };
    const away = { ...clusters, east: unreachable("east") };
    const { inputs, notes, mistakes } = await preview(away, argsFor(["west"]), known);
    const { unreachable: outages, ...rest } = inputs;
    deepEqual(rest, {
      ...known,
      ...argsFor(["west"]),
      removedLinks: [{ source: "east", target: "north" }],
      revision: 2,
    });
    deepEqual([outages, mistakes], [["east"], []]);
    equal(notes.length, 1);
    match(notes[0] ?? "", /^east: its mirrors stay as they are, because cluster east can't be/);
    const again = await preview(away, argsFor(["west"]), inputs);
    deepEqual(again.inputs, inputs);
  });

  it("ends in an error each time where the source refuses", async () => {
    const { clusters, before } = await settled();
    const away = { ...clusters, east: refusing("east") };
    const { inputs, notes } = await preview(away, args, before);
    deepEqual([Object.keys(inputs.refused ?? {}), inputs.revision], [["east"], 2]);
    match(notes[0] ?? "", /^east: its mirrors stay as they are, because cluster east refuses/);
    equal((await preview(away, args, inputs)).inputs.revision, 3);
  });
});

describe("what inputs remember", () => {
  it("is who the clusters are, and no longer those that have left", async () => {
    const { clusters, before } = await settled();
    deepEqual(Object.keys(before.identities ?? {}), ["east", "west", "north"]);
    const { inputs } = await preview(clusters, argsFor(["west"]), before);
    deepEqual(inputs.identities, { east: "uid of east", west: "uid of west" });
  });

  it("is what the stack was called, newest first, until it is called so again", async () => {
    const { clusters, before } = await settled();
    const called = (stack: string) => ({ ...args, stack });
    const second = await preview(clusters, called("mesh/b"), before);
    deepEqual(second.inputs.formerStacks, ["mesh/dev"]);
    const third = await preview(clusters, called("mesh/c"), second.inputs);
    deepEqual(third.inputs.formerStacks, ["mesh/b", "mesh/dev"]);
    const back = await preview(clusters, called("mesh/dev"), third.inputs);
    deepEqual(back.inputs.formerStacks, ["mesh/c", "mesh/b"]);
    const away = { ...clusters, east: unreachable("east") };
    const blind = await preview(away, called("mesh/b"), before);
    deepEqual(blind.inputs.formerStacks, ["mesh/dev"]);
  });

  it("is its own mirrors by the old name, from the first run under a new one", async () => {
    const { clusters, before } = await settled();
    const { inputs, notes } = await preview(clusters, { ...args, stack: "mesh/b" }, before);
    deepEqual([inputs.changes, notes], [undefined, []]);
  });

  const db = headless("shop/db");
  const pair = argsFor([{ target: "west", headless: true }]);
  const target = (...names: string[]) =>
    new MemoryCluster(
      exporting("west", [db], { endpoints: [endpoints("shop/db", [pods(names)])] }),
    );

  it("is since when a pod is missing: told with the end, frozen, then gone and forgotten", async () => {
    const { clusters, before } = await settled({ west: target("db-0", "db-1") }, pair);
    const away = { ...clusters, west: target("db-0") };
    const first = await preview(away, pair, before);
    deepEqual(first.inputs.missing, { "shop/db-1-west": written });
    deepEqual([first.inputs.mirrors, first.inputs.revision], [before.mirrors, before.revision]);
    deepEqual(first.notes, [
      `east: the pod of shop/db-1-west is away since ${written} and has no StatefulSet: its mirror goes with the first run after 2026-01-02T03:09:00.000Z`,
    ]);
    const earlier = { "shop/db-1-west": "2026-01-02T03:00:00Z" } as const;
    const again = await preview(away, pair, { ...first.inputs, missing: earlier });
    deepEqual(again.inputs.missing, earlier);
    const second = await preview(away, pair, first.inputs, later);
    deepEqual(second.inputs.missing, undefined);
    deepEqual(second.notes, ["east <- west: ~1 -1 (~ shop/db-west; - shop/db-1-west)"]);
    equal(second.inputs.revision, first.inputs.revision + 1);
    await made(away, second.inputs, undefined, later);
    const third = await preview(away, pair, second.inputs, later);
    deepEqual([third.inputs.missing, third.inputs.revision], [undefined, second.inputs.revision]);
  });

  it("is no reason for an update to delete what its check has kept", async () => {
    const { clusters, before } = await settled({ west: target("db-0", "db-1") }, pair);
    const away = { ...clusters, west: target("db-0") };
    const { inputs } = await preview(away, pair, before);
    await made(away, inputs, undefined, later);
    equal((await clusters.east.snapshot()).services.has("shop/db-1-west"), true);
  });

  it("is since when a pod is missing, too, while its cluster cannot be read", async () => {
    const { clusters, before } = await settled({ west: target("db-0", "db-1") }, pair);
    const first = await preview({ ...clusters, west: target("db-0") }, pair, before);
    const blind = await preview({ ...clusters, west: unreachable("west") }, pair, first.inputs);
    deepEqual(blind.inputs.missing, first.inputs.missing);
  });

  it("is no pod that has come back in between", async () => {
    const { clusters, before } = await settled({ west: target("db-0", "db-1") }, pair);
    const first = await preview({ ...clusters, west: target("db-0") }, pair, before);
    const back = await preview(clusters, pair, first.inputs);
    deepEqual(back.inputs.missing, undefined);
  });
});

describe("a mirror that two stacks have", () => {
  it("is confirmed by the one that has not done so, and both are told", async () => {
    const setting = await settled();
    const theirs = (live: Service) => confirmedBy("other/prod", unmarked(live));
    const east = await editedEast(setting, theirs);
    const clusters = { ...setting.clusters, east };
    const { inputs, notes } = await preview(clusters, args, setting.before);
    deepEqual(inputs.changes, {
      west: { "shop/web-west": { action: "confirm: it exists, and gets this stack's mark" } },
    });
    const note =
      "east <- west: another stack mirrors this as well (other/prod): take it out of one of the two";
    deepEqual(notes, [note]);
    const after = await up(clusters, args, setting.before);
    const settledAgain = await preview(clusters, args, after);
    deepEqual([settledAgain.inputs.changes, settledAgain.notes], [undefined, [note]]);
    deepEqual(Object.keys(after.mirrors).includes(federatedPart), false);
  });
});
