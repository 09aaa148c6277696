import { deepEqual, ok } from "node:assert/strict";
import type { Skip } from "../../../../engine/model/reasons.ts";
import {
  countNotMirrored,
  notMirrored,
  skipNotes,
} from "../../../../engine/mirroring/report/summary.ts";

const skip = (name: string, more: Partial<Skip> = {}): Skip => ({
  origin: `shop/${name}`,
  mirror: `${name}-west`,
  reason: "NoGateway",
  sentence: "there is no gateway",
  ...more,
});

describe("the list of Services that aren't mirrored", () => {
  it("names a Service, or one of its pods", () => {
    deepEqual(notMirrored([skip("db", { hostname: "db-0", reason: "NotOurs" }), skip("db")]), {
      "shop/db pod db-0": "NotOurs: there is no gateway",
      "shop/db": "NoGateway: there is no gateway",
    });
  });

  it("is short, however many there are, and tells their number", () => {
    const sentence = "x".repeat(1_000);
    const all = Array.from({ length: 20_000 }, (_, n) => skip(`web-${n}`, { sentence }));
    const list = notMirrored(all);
    ok(JSON.stringify(list).length < 200_000);
    deepEqual([list["shop/web-0"], list["shop/web-999"]], [`NoGateway: ${sentence}`, "NoGateway"]);
    deepEqual([countNotMirrored(list), countNotMirrored()], [20_000, 0]);
  });
});

describe("the notes on Services that aren't mirrored", () => {
  const none = { reason: "NoPorts", sentence: "it has no ports" } as const;
  const why = "not mirrored (NoGateway): there is no gateway";
  const rows: [rule: string, skips: Skip[], notes: string[]][] = [
    ["are empty if there are none", [], []],
    ["name a Service", [skip("a")], [`shop/a is ${why}`]],
    ["name its pod", [skip("b", { hostname: "b-0" })], [`shop/b pod b-0 is ${why}`]],
    ["name its cluster", [skip("c", { cluster: "west" })], [`shop/c of west is ${why}`]],
    [
      "have one line for Services with the same reason",
      ["a", "b", "c"].map((name) => skip(name)),
      [`shop/a, shop/b, shop/c are ${why}`],
    ],
    [
      "name the first three Services and count the others",
      ["a", "b", "c", "d", "e"].map((name) => skip(name)),
      [`shop/a, shop/b, shop/c and 2 more are ${why}`],
    ],
    [
      "have one line per reason in order of appearance, with each cause",
      [
        skip("a"),
        skip("b", none),
        skip("c", { sentence: "it does not resolve" }),
        skip("d"),
        skip("e", { ...none, reason: "NotOurs" }),
      ],
      [
        "3 are not mirrored (NoGateway): shop/a, shop/d: there is no gateway; shop/c: it does not resolve",
        "shop/b is not mirrored (NoPorts): it has no ports",
        "shop/e is not mirrored (NotOurs): it has no ports",
      ],
    ],
    [
      "have the first three causes of a reason, and count the others",
      ["a", "b", "c", "d", "e"].map((name) => skip(name, { sentence: `shorten ${name}` })),
      [
        "5 are not mirrored (NoGateway): shop/a: shorten a; shop/b: shorten b; shop/c: shorten c; and 2 more, each in notMirrored",
      ],
    ],
  ];
  for (const [rule, skips, notes] of rows)
    it(rule, () => {
      deepEqual(skipNotes(skips), notes);
    });
});
