import { deepEqual, equal, match } from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import type { Decision, Verdict } from "../../../../engine/model/decision.ts";
import { reportOn } from "../../../../engine/mirroring/report/part.ts";
import { mirrorsPart } from "../../../../engine/mirroring/report/parts.ts";
import { check, having, settled, web, west } from "../../fixtures/checked.ts";
import { mirrorAt, wanted } from "../../fixtures/link.ts";
import { cluster, exported, member } from "../../fixtures/objects.ts";

const mirror = mirrorAt(
  "shop/web-west",
  wanted({ target: cluster("west", { services: [exported("shop/web")] }) }),
);

function decision(
  verdict: Exclude<Verdict, "skip">,
  key: ObjectKey,
): Exclude<Decision, { readonly verdict: "skip" }> {
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
  verdict: "skip",
  part: "west",
  key: "shop/db-west",
  reason: "NoPorts",
  origin: "shop/db",
  mirror: "shop/db-west",
  sentence: "it has no ports",
};
const rows: [what: string, Decision[], before: Record<ObjectKey, string>, string | undefined][] = [
  ["is absent if nothing changes", [decision("keep", "shop/a")], { "shop/a": line }, undefined],
  ["is absent if there are only Services that aren't mirrored", [skip], {}, undefined],
  [
    "names mirrors if they are few",
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
    "only counts mirrors if they are many",
    [...decisions("create", "a", 1_000), ...decisions("delete", "b", 3)],
    {},
    "+1000 -3 (- shop/b-0, shop/b-1, shop/b-2)",
  ],
  [
    "counts a mirror that somebody has deleted as new",
    [decision("create", "shop/a")],
    { "shop/a": line },
    "+1 (+ shop/a)",
  ],
  [
    "counts mirrors that are listed, or no longer listed, without a write",
    [decision("keep", "shop/a"), { ...decision("keep", "shop/b"), mark: "confirm" }],
    { "shop/c": line },
    "1 adopted, 1 already there, 1 no longer listed",
  ],
];

describe("the summary of changes to the mirrors of a link", () => {
  for (const [what, all, before, expected] of rows)
    it(what, () => {
      const namesAll = all.length <= 20;
      const { summary } = reportOn(mirrorsPart("west", all), { before, namesAll });
      equal(summary?.text, expected);
      equal(summary?.isCut ?? false, !namesAll);
    });

  it("names up to twenty changes of a source, and otherwise says how to see them", async () => {
    const names = (count: number) =>
      Array.from({ length: count }, (_, index) => exported(`shop/s-${index}`));
    const summaries = async (count: number) => {
      const target = west(web, ...names(count));
      return (await check(having(await settled(), { west: target }))).summaries;
    };
    match((await summaries(20)).join(), /^east → west: \+20 \(\+ (shop\/s-\d+-west(, )?){20}\)$/);
    deepEqual(await summaries(21), ["east → west: +21; pulumi preview --diff names each mirror"]);
  });

  it("comes first among the notes, once per link and once for federated Services", async () => {
    const target = west(web, member("shop/bb"), exported("shop/db"));
    const { notes } = await check({ ...having(await settled(), { west: target }), before: {} });
    deepEqual(notes, [
      "east → west: +1, 1 already there (+ shop/db-west)",
      "east → north: 1 already there",
      "east: federated Services +1 (+ shop/bb-federated)",
      "east: if the cluster was renamed, what is already there stays, although Pulumi deletes the resource Mirrors of its former name",
      "east: Linkerd in east finds no pods of other clusters for shop/bb-federated without credentials for these clusters, which manage: mirrors leaves to others: create them with linkerd multicluster link-gen, or set manage: links",
    ]);
  });
});
