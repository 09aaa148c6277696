import assert from "node:assert/strict";
import { check } from "../../../../engine/mirroring/reconcile/check.ts";
import {
  formerTargets,
  linksDiffer,
} from "../../../../engine/mirroring/reconcile/removed-targets.ts";
import type { Before, Facts } from "../../../../engine/mirroring/reconcile/state.ts";
import type { Survey } from "../../../../engine/mirroring/reconcile/survey.ts";

const linksTo = (...targets: string[]) => targets.map((target) => ({ source: "west", target }));
const settled = (...targets: string[]): Before => ({
  links: linksTo(...targets),
  mirrors: { "demo/bb-federated": "federated Service of bb@east" },
  revision: 4,
});

const unreachable: Survey = {
  outcome: "unreachable",
  cluster: "west",
  why: "cluster west can't be reached",
  fatal: false,
};

function planned(facts: Facts = {}): Survey {
  const { mirrors } = settled();
  const plan = { namespaces: [], addresses: new Map(), changes: [], wanted: [], skips: [] };
  return {
    outcome: "planned",
    plan: { ...plan, mirrors: typeof mirrors === "object" ? mirrors : {} },
    facts,
    identities: {},
    notes: [],
    statuses: [],
  };
}

function checked(olds: Before, targets: readonly string[], survey: Survey) {
  const args = { cluster: "west", clusters: {}, links: linksTo(...targets) };
  return check(olds, args, survey, {}).inputs;
}

describe("links that a stack has given up", () => {
  it("are those of the run before that are no more, and those given up earlier", () => {
    assert.deepEqual(formerTargets({}, { links: linksTo("east") }), []);
    assert.deepEqual(formerTargets(settled("east", "north"), { links: linksTo("east") }), [
      "north",
    ]);
    const before = { ...settled("east"), retired: ["south", "north"] };
    assert.deepEqual(formerTargets(before, { links: linksTo("north") }), ["east", "south"]);
    assert.deepEqual(formerTargets(before, {}), ["east", "north", "south"]);
  });

  it("are a reason for a run even if nothing changes, as those are that come", () => {
    assert.equal(checked(settled("east"), ["east"], planned()).revision, 4);
    assert.equal(checked(settled("east"), ["east", "north"], planned()).revision, 5);
    assert.equal(checked(settled("east", "north"), ["east"], planned()).revision, 5);
    assert.equal(
      linksDiffer(settled("east", "north"), { clusters: {}, links: linksTo("north", "east") }),
      false,
    );
  });

  it("are not forgotten over a run in which their source is out of reach", () => {
    const during = checked(settled("east", "north"), ["east"], unreachable);
    assert.deepEqual([during.retired, during.revision], [["north"], 5]);
    const later = checked(during, ["east"], unreachable);
    assert.deepEqual([later.retired, later.revision], [["north"], 5]);
    const goneMeanwhile = checked(during, [], unreachable);
    assert.deepEqual([goneMeanwhile.retired, goneMeanwhile.revision], [["east", "north"], 6]);
  });

  it("are forgotten when no federated Service lists them any more", () => {
    const during = checked(settled("east", "north"), ["east"], unreachable);
    assert.deepEqual(checked(during, ["east"], planned()).retired, undefined);
  });
});
