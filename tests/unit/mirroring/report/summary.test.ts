import { deepEqual, equal } from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import type { Decision, Verdict } from "../../../../engine/mirroring/decide/decision.ts";
import { viewOf } from "../../../../engine/mirroring/report/changes.ts";
import { summaryOf } from "../../../../engine/mirroring/report/notes.ts";
import { member } from "../../fixtures/federation.ts";
import { mirrorAt, wanted } from "../../fixtures/link.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, exported } from "../../fixtures/objects.ts";
import { args, settled, unreachable, web, west } from "../../fixtures/settled.ts";
import { argsFor, preview } from "../../fixtures/world.ts";

const mirror = mirrorAt(
  "shop/web-west",
  wanted({ target: cluster("west", { services: [exported("shop/web")] }) }),
);

function decision(verdict: Exclude<Verdict, "skip">, key: ObjectKey): Decision {
  const common = { part: "west", key, kind: "gateway", live: {}, fields: [] } as const;
  return verdict === "delete" || verdict === "handOver"
    ? { verdict, ...common }
    : { verdict, wanted: mirror, ...common };
}

function decisions(verdict: "create" | "delete", name: string, count: number): Decision[] {
  return Array.from({ length: count }, (_, index) => decision(verdict, `shop/${name}-${index}`));
}

const line = "gateway mirror of web: http 80/TCP";
const skip: Decision = {
  ...{ verdict: "skip", part: "west", key: "shop/db-west" },
  ...{ reason: "NoPorts", origin: "shop/db", mirror: "shop/db-west" },
  sentence: "it has no ports",
};
const rows: [what: string, Decision[], before: Record<ObjectKey, string>, string | undefined][] = [
  ["nothing where nothing changes", [decision("keep", "shop/a")], { "shop/a": line }, undefined],
  ["nothing where Services are not mirrored, as before", [skip], {}, undefined],
  [
    "the names where they are few",
    [
      decision("create", "shop/a"),
      decision("update", "shop/b"),
      decision("replace", "shop/c"),
      decision("delete", "shop/d"),
      ...[skip, { ...skip, origin: "shop/mail" as const }],
    ],
    { "shop/b": line, "shop/c": line, "shop/d": line },
    "+1 ~2 -1, 2 not mirrored (+ shop/a; ~ shop/b, shop/c; - shop/d)",
  ],
  [
    "the count alone where they are many",
    [...decisions("create", "a", 1_000), ...decisions("delete", "b", 3)],
    {},
    "+1000 -3 (- shop/b-0, shop/b-1, shop/b-2)",
  ],
  [
    "what the list gains and loses without a write",
    [decision("keep", "shop/a"), decision("keep", "shop/b")],
    { "shop/c": line },
    "2 adopted, 1 forgotten",
  ],
];

describe("the summary of what becomes of the mirrors of a link", () => {
  for (const [what, all, before, expected] of rows)
    it(`says ${what}`, () => {
      equal(summaryOf(viewOf(all, before)), expected);
    });

  it("comes first, once for each link and for federated Services", async () => {
    const { clusters } = await settled();
    const more = { ...clusters, west: west(web, member("shop/bb"), exported("shop/db")) };
    const { notes } = await preview(more, args);
    deepEqual(notes, [
      "east <- west: +1, 1 adopted (+ shop/db-west)",
      "east <- north: 1 adopted",
      "east: federated Services +1 (+ shop/bb-federated)",
    ]);
  });

  it("counts a mirror that somebody has deleted as coming", async () => {
    const { clusters, before } = await settled();
    const { services, ...rest } = await clusters.east.snapshot();
    const left = new Map([...services].filter(([key]) => key !== "shop/web-west"));
    const east = new MemoryCluster({ ...rest, services: left });
    const { notes } = await preview({ ...clusters, east }, args, before);
    deepEqual(notes, ["east <- west: +1 (+ shop/web-west)"]);
  });

  it("is not there in a run that finds everything in order", async () => {
    const { clusters, before } = await settled();
    deepEqual((await preview(clusters, args, before)).notes, []);
  });

  it("is not there for a cluster that cannot be read", async () => {
    const { clusters, before } = await settled();
    const away = { ...clusters, west: unreachable("west") };
    const { notes } = await preview(away, args, before);
    deepEqual(
      notes.filter((note) => !note.includes("stay as they are")),
      [],
    );
  });

  it("is not there for mirrors that wait for a gateway, of which nothing can be said", async () => {
    const { clusters, before } = await settled();
    const none = new MemoryCluster(cluster("west", { services: [exported("shop/db")] }));
    const awaited = { ...argsFor(["west"]), observedGateways: { west: "to be made" } };
    const { notes } = await preview({ ...clusters, west: none }, awaited, before);
    deepEqual(
      notes.filter((note) => /^east <- west: [+~-]/.test(note)),
      [],
    );
  });

  it("says of what nothing is left in the source", async () => {
    const { clusters } = await settled();
    const { notes } = await preview({ ...clusters, west: west() }, args);
    equal(notes[0], "east <- west: -1 (- shop/web-west); nothing is left of shop/web");
  });
});
