import assert from "node:assert/strict";
import {
  isMarkedBy,
  managerOf,
  otherStacks,
  stackOf,
} from "../../../../engine/mirroring/model/owner.ts";
import { confirmedBy, marked } from "../../fixtures/marks.ts";
import { service } from "../../fixtures/objects.ts";

const plain = service("shop/web-west", { labels: { app: "web" } });
const both = confirmedBy("mesh/prod", confirmedBy("mesh/dev", plain)).metadata;

describe("the mark of a stack on a mirror", () => {
  it("is a field manager of its name", () => {
    assert.equal(managerOf("mesh/dev"), "linkerd-multicluster/mesh/dev");
  });

  it("has no more characters than the API server allows", () => {
    const long = managerOf(`mesh/${"x".repeat(200)}`);
    assert.equal(long.length, 128);
    const meta = marked(plain, long).metadata;
    assert.equal(isMarkedBy(meta, [`mesh/${"x".repeat(200)}`]), true);
    assert.deepEqual(otherStacks(meta, [`mesh/${"x".repeat(200)}`]), []);
  });

  it("is told from those of other stacks, which are named in order", () => {
    assert.deepEqual(otherStacks(both, ["mesh/dev"]), ["mesh/prod"]);
    assert.deepEqual(otherStacks(both, ["mesh/other"]), ["mesh/dev", "mesh/prod"]);
    assert.deepEqual(otherStacks(confirmedBy("mesh/dev", plain).metadata, ["mesh/dev"]), []);
  });

  it("is known by the names that the stack has had", () => {
    assert.deepEqual(otherStacks(both, ["mesh/new", "mesh/dev"]), ["mesh/prod"]);
    assert.equal(isMarkedBy(both, ["mesh/new", "mesh/dev"]), true);
    assert.equal(isMarkedBy(both, ["mesh/new"]), false);
  });

  it("is not that of a stack whose name only begins alike", () => {
    const meta = confirmedBy("mesh/dev-2", plain).metadata;
    assert.equal(isMarkedBy(meta, ["mesh/dev"]), false);
    assert.deepEqual(otherStacks(meta, ["mesh/dev"]), ["mesh/dev-2"]);
  });

  it("is none of kubectl's or of Linkerd's controller's, nor of no manager at all", () => {
    for (const manager of ["kubectl-edit", "linkerd-service-mirror", "linkerd-multicluster"]) {
      const { metadata } = marked(plain, manager);
      assert.deepEqual(
        [otherStacks(metadata, []), isMarkedBy(metadata, ["mesh/dev"])],
        [[], false],
      );
    }
    assert.deepEqual(otherStacks(plain.metadata, []), []);
    assert.equal(isMarkedBy({ ...plain.metadata, managedFields: [{}] }, ["mesh/dev"]), false);
  });

  it("says which stack's it is", () => {
    const managers = [
      "linkerd-multicluster/mesh/dev",
      "linkerd-multicluster",
      "linkerd",
      undefined,
    ];
    assert.deepEqual(
      managers.map((manager) => stackOf(manager)),
      ["mesh/dev", undefined, undefined, undefined],
    );
  });
});
