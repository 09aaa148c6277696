import assert from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import type { Mirror } from "../../../../engine/mirroring/model/mirror.ts";
import { federatedPart } from "../../../../engine/mirroring/model/owner.ts";
import type { Decision } from "../../../../engine/mirroring/decide/decision.ts";
import { plan, type WantedPart } from "../../../../engine/mirroring/decide/compare.ts";
import { carryOut } from "../../fixtures/carry-out.ts";
import { federationOf, member } from "../../fixtures/federation.ts";
import { wanted } from "../../fixtures/link.ts";
import { cluster, exported } from "../../fixtures/objects.ts";
import { actions, partOf as planOfPart } from "../../fixtures/reconcile.ts";

const empty = cluster("east", { namespaces: ["shop"] });

/** What a link into `east` asks for whose target exports these. */
function partOf(target: string, ...keys: ObjectKey[]): WantedPart {
  const services = keys.map((key) => exported(key));
  return { part: target, ...wanted({ link: { target }, target: cluster(target, { services }) }) };
}

/** Three claims to `shop/a-b-c-d`, of three links. */
const claimants = [
  partOf("d", "shop/a-b-c", "shop/fine"),
  partOf("c-d", "shop/a-b"),
  partOf("b-c-d", "shop/a"),
];
const targets = claimants.map(({ part }) => part);
const name = "shop/a-b-c-d";

function after(decisions: readonly Decision[], source = empty) {
  return carryOut(decisions, source, "west");
}

function reasonsIn(decisions: readonly Decision[], parts: readonly string[]) {
  return Object.fromEntries(
    parts.map((part) => {
      return [part, planOfPart(decisions, part, empty).skips.map(({ reason }) => reason)];
    }),
  );
}

describe("a plan of several parts", () => {
  it("has an entry for each, with its own mirrors alone", () => {
    const decisions = plan([partOf("west", "shop/web"), partOf("north", "shop/web")], empty, []);
    assert.deepEqual(
      ["west", "north"].map((part) => [part, actions(planOfPart(decisions, part, empty))]),
      [
        ["west", ["create gateway shop/web-west"]],
        ["north", ["create gateway shop/web-north"]],
      ],
    );
  });

  it("gives a name that three of them want to the cluster with the longest name", () => {
    const decisions = plan(claimants, empty, targets);
    assert.deepEqual(reasonsIn(decisions, targets), {
      d: ["CollidingName"],
      "c-d": ["CollidingName"],
      "b-c-d": [],
    });
    assert.deepEqual(
      decisions.flatMap((each) => (each.verdict === "skip" ? [each.sentence] : [])),
      ["shop/a-b-c of cluster d", "shop/a-b of cluster c-d"].map(
        (what) =>
          `${what} would be named shop/a-b-c-d on east, and names that end in -b-c-d are for the mirrors of cluster b-c-d: rename it`,
      ),
    );
    assert.equal(after(decisions).services.has("shop/fine-d"), true);
  });

  for (const holder of claimants)
    it(`leaves it to ${holder.part} where that has it`, () => {
      const source = after(plan([holder], empty, [holder.part]));
      const decisions = plan(claimants, source, targets);
      const { [holder.part]: own, ...others } = reasonsIn(decisions, targets);
      assert.deepEqual([own, Object.values(others)], [[], [["CollidingName"], ["CollidingName"]]]);
      assert.deepEqual(planOfPart(decisions, holder.part, source).changes, []);
      assert.equal(after(decisions, source).services.get(name), source.services.get(name));
    });

  it("sees a federated Service among the claimants", () => {
    const union = federationOf({
      source: cluster("east", { namespaces: ["shop"] }),
      targets: { west: cluster("west", { services: [member("shop/a-b")] }) },
    });
    const wanting = [partOf("b-federated", "shop/a"), { part: federatedPart, ...union }];
    assert.deepEqual(
      reasonsIn(plan(wanting, empty, ["b-federated"]), ["b-federated", federatedPart]),
      {
        "b-federated": [],
        [federatedPart]: ["CollidingName"],
      },
    );
  });
});

describe("the mirrors of a part that asks for nothing any more", () => {
  const names = ["shop/web", "shop/api"] as const;
  const source = after(plan([partOf("west", ...names)], empty, []));
  const nothing: WantedPart = { part: "west", mirrors: [] satisfies Mirror[], skips: [] };

  it("go", () => {
    assert.deepEqual(planOf(nothing).mirrors, {});
    assert.deepEqual(actions(planOf(nothing)), [
      "delete gateway shop/api-west",
      "delete gateway shop/web-west",
    ]);
  });

  it("stay where they are retained, and are listed no more", () => {
    const retained = new Set<ObjectKey>(["shop/web-west"]);
    const part = planOf({ ...nothing, retained });
    assert.deepEqual([actions(part), part.mirrors], [["delete gateway shop/api-west"], {}]);
  });

  function planOf(part: WantedPart) {
    return planOfPart(plan([part], source, []), "west", source);
  }
});
