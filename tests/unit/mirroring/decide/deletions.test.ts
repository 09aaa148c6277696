import assert from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { Decision } from "../../../../engine/mirroring/decide/decision.ts";
import { tooManyDeletions } from "../../../../engine/mirroring/decide/policies/deletions.ts";
import { link } from "../../fixtures/link.ts";
import { cluster, exported, service } from "../../fixtures/objects.ts";
import { actions, planned, reconciled } from "../../fixtures/reconcile.ts";

type Max = LinkSpec["maxDeletions"];
const rows: [max: Max, live: number, deletions: number, allowDeletions: boolean, runs: boolean][] =
  [
    ["50%", 0, 0, false, true],
    ["50%", 1, 1, false, true],
    ["50%", 10, 10, false, true],
    ["50%", 11, 5, false, true],
    ["50%", 11, 6, false, false],
    ["50%", 12, 6, false, true],
    ["50%", 100, 50, false, true],
    ["50%", 100, 51, false, false],
    ["50%", 100, 100, true, true],
    ["0%", 10, 10, false, true],
    ["0%", 11, 1, false, false],
    ["0%", 11, 0, false, true],
    ["12.5%", 16, 2, false, true],
    ["12.5%", 16, 3, false, false],
    ["100%", 500, 500, false, true],
    [0, 3, 0, false, true],
    [0, 3, 1, false, false],
    [0, 3, 1, true, true],
    [2, 3, 2, false, true],
    [2, 3, 3, false, false],
    [2, 500, 3, false, false],
    [1000, 500, 500, false, true],
  ];

/** So many mirrors of west that exist, of which so many go. */
function decisions(live: number, deletions: number): Decision[] {
  return Array.from({ length: live }, (_, index) => ({
    ...{ part: "west", key: `shop/web-${index}`, kind: "gateway", fields: [] },
    live: { service: service(`shop/web-${index}`) },
    verdict: index < deletions ? "delete" : "keep",
  }));
}

describe("the deletions that one run may do", () => {
  for (const [maxDeletions, live, deletions, allowDeletions, runs] of rows) {
    const allowed = allowDeletions ? " with allowDeletions" : "";
    it(`${runs ? "include" : "exclude"} ${deletions} of ${live}, at most ${maxDeletions}${allowed}`, () => {
      const limit = link({ maxDeletions, allowDeletions });
      assert.equal(tooManyDeletions(limit, decisions(live, deletions)).length === 0, runs);
    });
  }

  const names = Array.from({ length: 12 }, (_, index) => `shop/web-${index}` as const);
  const full = cluster("west", { services: names.map((name) => exported(name)) });
  const source = reconciled({ target: full, source: cluster("east", { namespaces: ["shop"] }) });
  const emptied = { target: cluster("west"), source };

  it("are told with what is allowed and what to do, where they are too many", () => {
    assert.equal(
      planned(emptied).refusal,
      "link east/west would delete 12 of its 12 mirrors on east, and maxDeletions (50%) allows 6: if that is meant, set allowDeletions: true on the link for one run; if not, see whether west is the cluster you think and its Services are still exported",
    );
  });

  it("are planned all the same, so that a preview can show them", () => {
    assert.equal(planned(emptied).changes.length, 12);
  });

  it("are not refused where the link allows them", () => {
    const plan = planned({ ...emptied, link: { allowDeletions: true } });
    assert.deepEqual([plan.refusal, plan.changes.length], [undefined, 12]);
  });

  it("count mirrors in a namespace that the link has come to leave out", () => {
    const plan = planned({ target: full, source, link: { excludedNamespaces: ["shop"] } });
    assert.match(plan.refusal ?? "", /^link east\/west would delete 12 of its 12 mirrors on east/);
  });

  it("are a share of the mirrors that there are, not of those to come", () => {
    const others = names.map((name) => exported(`${name}-new`));
    const moved = cluster("west", { services: others });
    assert.match(planned({ target: moved, source }).refusal ?? "", /12 of its 12 mirrors/);
  });

  it("do not count mirrors that are replaced or kept", () => {
    const headless = names.map((name) => exported(name, {}, { clusterIP: "None" }));
    const waiting = planned({
      ...emptied,
      target: cluster("west", { services: headless }),
      gateway: { known: false, why: "there is no gateway" },
    });
    assert.deepEqual([waiting.refusal, actions(waiting)], [undefined, []]);
  });
});
