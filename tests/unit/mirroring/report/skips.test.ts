import assert from "node:assert/strict";
import type { Skip } from "../../../../engine/mirroring/model/reasons.ts";
import { notMirrored, skipNotes } from "../../../../engine/mirroring/report/skips.ts";

describe("what is not mirrored", () => {
  const skip: Skip = {
    origin: "shop/db",
    mirror: "db-west",
    reason: "NoPorts",
    sentence: "it has no ports",
  };
  it("is listed by the Service, and by the pod where only that is meant", () => {
    assert.deepEqual(
      notMirrored([
        { ...skip, hostname: "db-0", mirror: "db-0-west", reason: "NotOurs", sentence: "taken" },
        skip,
      ]),
      { "shop/db pod db-0": "NotOurs: taken", "shop/db": "NoPorts: it has no ports" },
    );
  });

  it("is empty where all is mirrored", () => {
    assert.deepEqual(notMirrored([]), {});
  });
});

describe("what the terminal is told of Services that are not mirrored", () => {
  const skip = (name: string, more: Partial<Skip> = {}): Skip => ({
    origin: `shop/${name}`,
    mirror: `${name}-west`,
    reason: "NoGateway",
    sentence: "there is no gateway",
    ...more,
  });

  it("is a line for one, which names it, its pod and its cluster", () => {
    assert.deepEqual(
      [skip("a"), skip("b", { hostname: "b-0" }), skip("c", { cluster: "west" })].map((each) =>
        skipNotes([each]),
      ),
      [
        ["shop/a is not mirrored (NoGateway): there is no gateway"],
        ["shop/b pod b-0 is not mirrored (NoGateway): there is no gateway"],
        ["shop/c of west is not mirrored (NoGateway): there is no gateway"],
      ],
    );
  });

  it("is one line for all that have the same reason, with the first three and a count", () => {
    const names = (...all: string[]) => skipNotes(all.map((name) => skip(name)));
    assert.deepEqual(names("a", "b", "c"), [
      "shop/a, shop/b, shop/c are not mirrored (NoGateway): there is no gateway",
    ]);
    assert.deepEqual(names("a", "b", "c", "d", "e"), [
      "shop/a, shop/b, shop/c and 2 more are not mirrored (NoGateway): there is no gateway",
    ]);
  });

  it("is a line for each reason, in the order in which they come up, with its causes", () => {
    const notes = skipNotes([
      skip("a"),
      skip("b", { reason: "NoPorts", sentence: "it has no ports" }),
      skip("c", { sentence: "it does not resolve" }),
      skip("d"),
      skip("e", { reason: "NotOurs", sentence: "it has no ports" }),
    ]);
    assert.deepEqual(notes, [
      "3 are not mirrored (NoGateway): shop/a, shop/d: there is no gateway; shop/c: it does not resolve",
      "shop/b is not mirrored (NoPorts): it has no ports",
      "shop/e is not mirrored (NotOurs): it has no ports",
    ]);
  });

  it("has the first three causes of a reason, and a count of the rest", () => {
    const notes = skipNotes(
      ["a", "b", "c", "d", "e"].map((name) =>
        skip(name, { reason: "NameTooLong", sentence: `shorten ${name}` }),
      ),
    );
    assert.deepEqual(notes, [
      "5 are not mirrored (NameTooLong): shop/a: shorten a; shop/b: shorten b; shop/c: shorten c; and 2 more, each in notMirrored",
    ]);
  });

  it("is nothing where all is mirrored", () => {
    assert.deepEqual(skipNotes([]), []);
  });
});
