import assert from "node:assert/strict";
import { count, listed } from "../../../engine/base/message.ts";
import { shortened } from "../../../engine/model/difference.ts";

describe("texts in a preview", () => {
  it("list the first names and count the others", () => {
    assert.equal(listed(["db-0", "db-1"], 2), "db-0, db-1");
    assert.equal(listed(["db-0", "db-1", "db-2"], 2), "db-0, db-1 and 1 more");
  });

  it("shorten a long value and say its length", () => {
    assert.equal(shortened("x\u001b[2K"), "x?[2K");
    assert.equal(shortened("x".repeat(86)), "x".repeat(86));
    assert.equal(shortened("x".repeat(87)), `${"x".repeat(66)}… (87 characters)`);
  });

  it("count in singular and plural", () => {
    assert.deepEqual([count(1, "mirror"), count(2, "mirror")], ["1 mirror", "2 mirrors"]);
  });
});
