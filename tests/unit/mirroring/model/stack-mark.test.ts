import { deepEqual, equal } from "node:assert/strict";
import {
  isMarkedBy,
  managerOf,
  otherStacks,
  stackOf,
} from "../../../../engine/mirroring/model/owner.ts";
import { confirmedBy, marked } from "../../fixtures/marks.ts";
import { service } from "../../fixtures/objects.ts";

const plain = service("shop/web-west", { labels: { app: "web" } });
const by = (...managers: string[]) =>
  managers.reduce((object, name) => confirmedBy(name, object), plain).metadata;
const both = by("mesh/dev", "mesh/prod");
const long = `mesh/${"x".repeat(200)}`;
const foreign = ["kubectl-edit", "linkerd-service-mirror", "linkerd-multicluster"].map(
  (manager) => marked(plain, manager).metadata,
);

describe("the mark of a stack on a mirror", () => {
  it("is a field manager of its name, with no more characters than the API server allows", () => {
    equal(managerOf("mesh/dev"), "linkerd-multicluster/mesh/dev");
    equal(managerOf(long).length, 128);
  });

  type Row = [rule: string, meta: typeof both, own: string[], isMarked: boolean, others: string[]];
  const rows: Row[] = [
    ["is told from that of another stack", both, ["mesh/dev"], true, ["mesh/prod"]],
    ["is told from those of others, in order", both, ["mesh/x"], false, ["mesh/dev", "mesh/prod"]],
    ["is known by names that it has had", both, ["mesh/new", "mesh/dev"], true, ["mesh/prod"]],
    ["is not one that only begins alike", by("mesh/dev-2"), ["mesh/dev"], false, ["mesh/dev-2"]],
    ["may be cut", by(long), [long], true, []],
    ["is on nothing that has no manager", plain.metadata, ["mesh/dev"], false, []],
    ["is not an entry without one", { ...plain.metadata, managedFields: [{}] }, ["a/b"], false, []],
    ...foreign.map((meta): Row => ["is not another program's", meta, ["mesh/dev"], false, []]),
  ];
  for (const [rule, meta, own, isMarked, others] of rows)
    it(rule, () => {
      deepEqual([isMarkedBy(meta, own), otherStacks(meta, own)], [isMarked, others]);
    });

  it("says which stack's it is", () => {
    const managers = [
      "linkerd-multicluster/mesh/dev",
      "linkerd-multicluster",
      "linkerd",
      undefined,
    ];
    deepEqual(
      managers.map((manager) => stackOf(manager)),
      ["mesh/dev", undefined, undefined, undefined],
    );
  });
});
