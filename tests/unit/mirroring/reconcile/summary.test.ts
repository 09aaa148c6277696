import { deepEqual, equal } from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects.ts";
import type { Skip } from "../../../../engine/mirroring/model/reasons.ts";
import type { Change, Plan } from "../../../../engine/mirroring/plan/change.ts";
import { summaryOf } from "../../../../engine/mirroring/reconcile/summary.ts";
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

function change(action: Change["action"], key: ObjectKey): Change {
  const common = { key, kind: "gateway", live: {}, fields: [] } as const;
  return action === "delete" ? { action, ...common } : { action, wanted: mirror, ...common };
}

function changes(action: Change["action"], name: string, count: number): Change[] {
  return Array.from({ length: count }, (_, index) => change(action, `shop/${name}-${index}`));
}

const line = "gateway mirror of web: http 80/TCP";
const skip: Skip = {
  ...{ reason: "NoPorts", origin: "shop/db", mirror: "shop/db-west" },
  sentence: "it has no ports",
};
const rows: [what: string, Partial<Plan>, before: Record<ObjectKey, string>, string | undefined][] =
  [
    [
      "nothing where nothing changes",
      { mirrors: { "shop/a": line } },
      { "shop/a": line },
      undefined,
    ],
    ["nothing where Services are not mirrored, as before", { skips: [skip] }, {}, undefined],
    [
      "the names where they are few",
      {
        changes: [
          change("create", "shop/a"),
          change("update", "shop/b"),
          change("replace", "shop/c"),
          change("delete", "shop/d"),
        ],
        skips: [skip, { ...skip, origin: "shop/mail" }],
      },
      { "shop/d": line },
      "+1 ~2 -1, 2 not mirrored (+ shop/a; ~ shop/b, shop/c; - shop/d)",
    ],
    [
      "the count alone where they are many",
      { changes: [...changes("create", "a", 1_000), ...changes("delete", "b", 3)] },
      {},
      "+1000 -3 (- shop/b-0, shop/b-1, shop/b-2)",
    ],
    [
      "what the list gains and loses without a write",
      { mirrors: { "shop/a": line, "shop/b": line } },
      { "shop/c": line },
      "2 adopted, 1 forgotten",
    ],
  ];

describe("the summary of what becomes of the mirrors of a link", () => {
  for (const [what, plan, before, expected] of rows)
    it(`says ${what}`, () => {
      equal(summaryOf({ changes: [], mirrors: {}, skips: [], ...plan }, before), expected);
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
});
