import assert from "node:assert/strict";
import { count, listed, shortened } from "../../../../engine/mirroring/model/text.ts";

describe("texts in a preview", () => {
  it("list as much as fits on a line, and say how much more there is", () => {
    const hosts = ["db-0@10.96.0.2 (80/TCP)", "db-1@10.96.0.3 (80/TCP)", "db-2@10.96.0.4 (80/TCP)"];
    assert.equal(listed(hosts.slice(0, 2)), "db-0@10.96.0.2 (80/TCP), db-1@10.96.0.3 (80/TCP)");
    assert.equal(listed(hosts), "db-0@10.96.0.2 (80/TCP), db-1@10.96.0.3 (80/TCP) and 1 more");
    assert.equal(listed(["x".repeat(100), "y"]), `${"x".repeat(100)} and 1 more`);
  });

  it("cut a long value, and say how long it is", () => {
    assert.equal(shortened("x\u001b[2K"), "x?[2K");
    assert.equal(shortened("x".repeat(86)), "x".repeat(86));
    assert.equal(shortened("x".repeat(87)), `${"x".repeat(66)}… (87 characters)`);
  });

  it("count in the singular, too", () => {
    assert.deepEqual([count(1, "mirror"), count(2, "mirror")], ["1 mirror", "2 mirrors"]);
  });
});
