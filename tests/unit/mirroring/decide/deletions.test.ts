import { deepEqual, equal, match } from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/model/link.ts";
import type { Decision } from "../../../../engine/model/decision.ts";
import {
  type DeletionLimit,
  guardedDeletions,
  limitOfRemoved,
} from "../../../../engine/mirroring/decide/policies/deletions.ts";
import { argsFor } from "../../fixtures/checked.ts";
import { managerOf } from "../../../../engine/model/marks.ts";
import { ownerLabels } from "../../../../engine/model/owner.ts";
import { fed, federated, plannedFederation } from "../../fixtures/federation.ts";
import { confirmed, confirmedBy, stack } from "../../fixtures/marks.ts";
import { cluster, exported, member, service } from "../../fixtures/objects.ts";
import { link, west } from "../../fixtures/link.ts";
import { planned, reconciled } from "../../fixtures/reconcile.ts";

type Max = LinkSpec["maxDeletions"];
const rows: [max: Max, live: number, deletions: number, outcome: "runs" | "is refused"][] = [
  ["50%", 10, 10, "runs"],
  ["50%", 11, 5, "runs"],
  ["50%", 11, 6, "is refused"],
  ["0%", 11, 1, "is refused"],
  ["12.5%", 16, 2, "runs"],
  ["12.5%", 16, 3, "is refused"],
  [0, 3, 1, "is refused"],
  [2, 500, 2, "runs"],
  [2, 3, 3, "is refused"],
];

/** Returns decisions about mirrors of west, the first of which are deleted. */
function decisions(live: number, deletions: number): Decision[] {
  return Array.from({ length: live }, (_, index) => ({
    part: "west",
    key: `shop/web-${index}`,
    kind: "gateway",
    fields: [],
    live: { service: service(`shop/web-${index}`) },
    verdict: index < deletions ? "delete" : "keep",
  }));
}

function reasons(decisions: readonly Decision[], limits: readonly DeletionLimit[]): string[] {
  const plan = { decisions, stacks: [stack], isListed: () => true };
  return Object.values(guardedDeletions(plan, limits).refusals);
}

describe("the deletions that one run may make", () => {
  for (const [maxDeletions, live, deletions, outcome] of rows)
    it(`with maxDeletions ${maxDeletions} and ${deletions} of ${live}, it ${outcome}`, () => {
      const refused = (allowDeletions: boolean) =>
        reasons(decisions(live, deletions), [link({ maxDeletions, allowDeletions })]).length;
      deepEqual([refused(false), refused(true)], [outcome === "runs" ? 0 : 1, 0]);
    });

  const names = Array.from({ length: 12 }, (_, index) => `shop/web-${index}` as const);
  const full = west(names.map((name) => exported(name)));
  const source = reconciled({ target: full });

  it("are reported with the limit and what to do, and still planned for the preview", () => {
    const { refusal, changes } = planned({ target: west(), source });
    equal(
      refusal,
      "link east → west would delete 12 of its 12 mirrors on east, and maxDeletions (50%) allows 6: if that is meant, set allowDeletions: true on the link for one run; if not, check that the context of west points to the right cluster and that its Services are still exported",
    );
    equal(changes.length, 12);
  });

  it("are a share of the existing mirrors, not of new ones", () => {
    const target = west(names.map((name) => exported(`${name}-new`)));
    match(planned({ target, source }).refusal ?? "", /12 of its 12 mirrors/);
  });

  it("are a share of what this stack or nobody has marked", () => {
    const others = Array.from({ length: 25 }, (_, index) => {
      const key = `blog/web-${index}-west` as const;
      return confirmedBy("acme/other/prod", service(key, { labels: ownerLabels("west") }));
    });
    const both = cluster("east", { services: [...source.services.values(), ...others] });
    match(planned({ target: west(), source: both }).refusal ?? "", /12 of its 12 mirrors/);
  });
});

describe("members that leave federated Services", () => {
  const names = Array.from({ length: 12 }, (_, index) => `demo/s${index}` as const);
  const some = (target: string, count = 12, labels = {}) =>
    cluster(target, { services: names.slice(0, count).map((name) => member(name, { labels })) });
  const north = some("north");
  const source = federated({ targets: { east: some("east"), north } });

  /** Returns why a run with these members is refused. */
  function refusal(
    targets: Parameters<typeof plannedFederation>[0]["targets"],
    limits: readonly Partial<DeletionLimit>[] = [{ target: "east" }, { target: "north" }],
    retired: readonly string[] = [],
    there = source,
  ): string {
    const plan = plannedFederation({ source: there, targets, retired });
    const links = limits.map((limit) => ({ ...link({ source: "west" }), ...limit }));
    const { decisions } = plan;
    return reasons(decisions, links).join("; ");
  }

  it("count as deletions of their link, although the Service stays", () => {
    equal(
      refusal({ east: some("east", 5), north }),
      "link west → east would delete 7 of its 12 members of federated Services on west, and maxDeletions (50%) allows 6: if that is meant, set allowDeletions: true on the link for one run; if not, check that the context of east points to the right cluster and that its Services are still exported",
    );
    equal(refusal({ east: some("east", 6), north }), "");
  });

  it("are a share of those that this stack or nobody has marked", () => {
    const names = Array.from({ length: 25 }, (_, index) => `blog/s${index}` as const);
    const others = names.map((name) =>
      confirmed(
        managerOf("acme/other/prod", "east"),
        fed(name, { remote: `${name.slice(5)}@east` }),
      ),
    );
    const both = cluster("west", { services: [...source.services.values(), ...others] });
    match(refusal({ east: some("east", 5), north }, undefined, [], both), /7 of its 12 members/);
  });

  it("count per link", () => {
    equal(refusal({ east: some("east", 6), north: some("north", 6) }), "");
    const sentence = refusal({ east: some("east", 1), north: some("north", 2) });
    deepEqual(sentence.match(/link west → \w+ would delete \d+/g), [
      "link west → east would delete 11",
      "link west → north would delete 10",
    ]);
  });

  it("exclude those of an unreachable cluster and of a Service that changes", () => {
    equal(refusal({ east: undefined, north }), "");
    equal(refusal({ east: some("east", 12, { app: "new" }), north }), "");
  });

  it("of a removed link are reported as such, with what to do", () => {
    equal(
      refusal(
        { north },
        [limitOfRemoved({ source: "west", target: "east" }, argsFor([]))],
        ["east"],
      ),
      "link west → east is no longer in the config, and the run would delete 12 of its 12 members of federated Services on west, and maxDeletions (50%) allows 6: if that is meant, set linkerd-multicluster:linkDefaults.allowDeletions to true for one run; if not, put the link back",
    );
  });
});
