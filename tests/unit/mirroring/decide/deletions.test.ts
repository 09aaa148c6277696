import { deepEqual } from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/model/link.ts";
import type { Decision } from "../../../../engine/model/decision.ts";
import {
  type DeletionLimit,
  guardedDeletions,
} from "../../../../engine/mirroring/decide/policies/deletions.ts";
import { stack } from "../../fixtures/marks.ts";
import { link } from "../../fixtures/link.ts";
import { service } from "../../fixtures/objects.ts";
import { testScenarios } from "../../fixtures/scenario.ts";

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

  const twelve = Array.from({ length: 12 }, (_, n) => `shop/web-${n}`);
  const first = `west: ${twelve.join(" ")}
${twelve.map((name) => `+ gateway ${name}-west`).join("\n")}`;
  const others = Array.from(
    { length: 25 },
    (_, n) => `blog/web-${n}-west(of=west by=a/other/prod)`,
  );
  const refusal =
    "? west: link east → west would delete 12 of its 12 mirrors on east, and maxDeletions (50%) allows 6";
  testScenarios(`
${first}
# are reported with the limit and what to do
west: nothing
${refusal} (shop/web-0-west, shop/web-1-west, shop/web-10-west, shop/web-11-west, shop/web-2-west, shop/web-3-west, shop/web-4-west, shop/web-5-west, shop/web-6-west, shop/web-7-west and 2 more): if that is meant, set allowDeletions: true on the link for one run; if not, check that the context of west points to the right cluster and that its Services are still exported
link west: { allowDeletions: true }
${twelve.map((name) => `- gateway ${name}-west`).join("\n")}
# are a share of the existing mirrors, not of new ones
west: ${twelve.map((name) => `${name}-new`).join(" ")}
${refusal}
# are a share of what this stack or nobody has marked
west: nothing; east: ${others.join(" ")}
${refusal}
`);
});

describe("members that leave federated Services", () => {
  const names = Array.from({ length: 12 }, (_, n) => `demo/s${n}`);
  const some = (count: number, words = "member") =>
    names
      .slice(0, count)
      .map((name) => `${name}(${words})`)
      .join(" ");
  const changed = (from: number, verb = "~") =>
    names
      .slice(from)
      .map((name) => `${verb} federated ${name}-federated`)
      .join("\n");
  const allows = "members of federated Services on east, and maxDeletions (50%) allows 6";
  const others = Array.from(
    { length: 25 },
    (_, n) => `blog/s${n}(fed=s${n}@west by=a/other/prod#west)`,
  );
  testScenarios(`
west: ${some(12)}; north: ${some(12)}
${changed(0, "+")}
# count as deletions of their link, although the Service stays
west: ${some(5)}
? west: link east → west would delete 7 of its 12 ${allows} (demo/s10-federated, demo/s11-federated, demo/s5-federated, demo/s6-federated, demo/s7-federated, demo/s8-federated, demo/s9-federated): if that is meant, set allowDeletions: true on the link for one run; if not, check that the context of west points to the right cluster and that its Services are still exported
west: ${some(6)}
${changed(6)}
# are a share of those that this stack or nobody has marked
west: ${some(5)}; east: ${others.join(" ")}
? west: link east → west would delete 7 of its 12 ${allows}
${others.map((name) => `/ federated ${name.split("(")[0]}-federated: nobody`).join("\n")}
# may be as many of each link
west: ${some(6)}; north: ${some(6)}
${changed(6, "-")}
# count per link
west: ${some(1)}; north: ${some(2)}
? west: link east → west would delete 11 of its 12 ${allows}
? north: link east → north would delete 10 of its 12 ${allows}
# exclude those of an unreachable cluster
west: unreachable
none
# exclude those of a Service that changes
north: ${some(12, "member app=new")}
${changed(0)}
# of a removed link are reported as such, with what to do
unlink west
? west: link east → west is no longer in the config, and the run would delete 12 of its 12 ${allows} (${Array.from(
    { length: 12 },
    (_, n) => `demo/s${n}-federated`,
  )
    .sort()
    .slice(0, 10)
    .join(
      ", ",
    )} and 2 more): if that is meant, set linkerd-multicluster:linkDefaults.allowDeletions to true for one run; if not, put the link back
`);
});
