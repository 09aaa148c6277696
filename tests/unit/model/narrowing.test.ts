import { deepEqual, equal } from "node:assert/strict";
import { localMember, managerOf } from "../../../engine/model/marks.ts";
import { othersNarrowing, recordOf } from "../../../engine/model/narrowing.ts";

const other = "acme/mesh/other";

describe("what another stack narrows", () => {
  /** Returns the rules in this record on a Service with the other stack's mark on the local member. */
  const rulesOf = (change: (record: string) => string) => {
    const rule = { excludedLabels: ["team"], excludedAnnotations: [], copiedMetadata: [] };
    const records = recordOf(other, { ports: new Set(), rules: [rule] });
    const changed = Object.entries(records).map(([key, record]) => [key, change(record)] as const);
    const metadata = {
      annotations: Object.fromEntries(changed),
      managedFields: [{ manager: managerOf(other, localMember) }],
    };
    return othersNarrowing(metadata, [localMember], () => ["acme/mesh/dev"]).rules;
  };

  it("has a rule for each of its links", () => {
    deepEqual(
      rulesOf((record) => record).map(({ excludedLabels }) => excludedLabels),
      [["team"]],
    );
  });

  it("can't be a record of more rules than a stack has links, or that is nested too deeply", () => {
    equal(rulesOf(() => `{"rules":[${"{},".repeat(120_000)}{}]}`).length, 1);
    equal(rulesOf(() => `{"rules":${"[".repeat(50_000)}${"]".repeat(50_000)}}`).length, 1);
  });
});
