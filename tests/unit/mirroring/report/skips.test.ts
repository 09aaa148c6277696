import { deepEqual } from "node:assert/strict";
import type { Skip } from "../../../../engine/mirroring/model/reasons.ts";
import { notMirrored, skipNotes } from "../../../../engine/mirroring/report/skips.ts";

const skip = (name: string, more: Partial<Skip> = {}): Skip => ({
  origin: `shop/${name}`,
  mirror: `${name}-west`,
  reason: "NoGateway",
  sentence: "there is no gateway",
  ...more,
});

describe("what is not mirrored", () => {
  it("is listed by the Service, and by the pod where only that is meant", () => {
    deepEqual(notMirrored([skip("db", { hostname: "db-0", reason: "NotOurs" }), skip("db")]), {
      "shop/db pod db-0": "NotOurs: there is no gateway",
      "shop/db": "NoGateway: there is no gateway",
    });
  });
});

describe("the terminal's lines about Services that are not mirrored", () => {
  const none = { reason: "NoPorts", sentence: "it has no ports" } as const;
  const why = "not mirrored (NoGateway): there is no gateway";
  const rows: [rule: string, skips: Skip[], notes: string[]][] = [
    ["is nothing where all is mirrored", [], []],
    ["is a line for one", [skip("a")], [`shop/a is ${why}`]],
    ["names its pod", [skip("b", { hostname: "b-0" })], [`shop/b pod b-0 is ${why}`]],
    ["names its cluster", [skip("c", { cluster: "west" })], [`shop/c of west is ${why}`]],
    [
      "is one line for all that have the same reason",
      ["a", "b", "c"].map((name) => skip(name)),
      [`shop/a, shop/b, shop/c are ${why}`],
    ],
    [
      "names the first three and counts the others",
      ["a", "b", "c", "d", "e"].map((name) => skip(name)),
      [`shop/a, shop/b, shop/c and 2 more are ${why}`],
    ],
    [
      "is a line for each reason, in the order in which they come up, with its causes",
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
      "has the first three causes of a reason, and a count of the rest",
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
