import { deepEqual, equal } from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  type Authority,
  deletionOf,
  ownershipNotes,
} from "../../../../engine/mirroring/decide/policies/ownership.ts";
import type { Decision } from "../../../../engine/model/decision.ts";
import { confirmedBy, stack } from "../../fixtures/marks.ts";
import { exported, service } from "../../fixtures/objects.ts";
import { planned, reconciled } from "../../fixtures/reconcile.ts";
import { west } from "../../fixtures/link.ts";

const covering: Authority = { names: [stack], covers: () => true, deletesUnmarked: false };

function left(key: ObjectKey, keeper?: string): Decision {
  return {
    part: "west",
    key,
    kind: "gateway",
    verdict: "handOver",
    live: { service: service(key) },
    fields: [],
    ...(keeper !== undefined && { keeper }),
  };
}

describe("notes on mirrors of others", () => {
  const notes = (decisions: readonly Decision[], authority = covering, hasController = false) =>
    ownershipNotes("west", decisions, authority, "east-admin", hasController).map(
      ([, sentence]) => sentence,
    );
  const unmarked =
    "they carry no stack's mark, so they may belong to somebody else; delete them if they are no longer needed: kubectl --context east-admin --namespace shop delete service";

  it("count and list what each keeper keeps", () => {
    const kept = [left("shop/a", "stack x"), left("shop/b", "stack x"), left("shop/c", "stack y")];
    deepEqual(notes(kept), [
      "2 mirrors stay, because stack x keeps them (shop/a, shop/b)",
      "1 mirror stays, because stack y keeps them (shop/c)",
    ]);
  });

  it("give the command that deletes what nobody has marked", () => {
    deepEqual(notes([left("shop/a")]), [`1 mirror stays, because ${unmarked} a (shop/a)`]);
  });

  it("leave out namespaces that the link doesn't cover, if a keeper or a controller is known", () => {
    const elsewhere = { ...covering, covers: (namespace: string) => namespace === "shop" };
    deepEqual(notes([left("far/a", "stack x")], elsewhere), []);
    deepEqual(notes([left("far/a")], elsewhere, true), []);
    equal(notes([left("far/a")], elsewhere).length, 1);
  });

  it("name the other stacks that mirror the same, in order", async () => {
    const target = west([exported("shop/web"), exported("shop/api")]);
    const source = await reconciled({ target });
    const services = new Map(
      [...source.services].map(([key, each]) => [
        key,
        confirmedBy(key === "shop/api-west" ? "acme/mesh/z" : "acme/mesh/a", each),
      ]),
    );
    const { decisions } = planned({ target, source: { ...source, services } });
    deepEqual(notes(decisions.toReversed()), [
      "another stack mirrors this as well (acme/mesh/a, acme/mesh/z): remove it from one of the two",
    ]);
    deepEqual(notes(decisions), notes(decisions.toReversed()));
  });
});

it("a command that deletes mirrors names three of one namespace", () => {
  const keys: ObjectKey[] = ["shop/a", "far/x", "shop/b", "shop/c", "shop/d"];
  equal(deletionOf(keys, "east"), "kubectl --context east --namespace shop delete service a b c");
});
