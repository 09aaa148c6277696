import assert from "node:assert/strict";
import { portsText } from "../../../../engine/mirroring/decide/canonical.ts";
import { count, listed, shortened } from "../../../../engine/mirroring/model/text.ts";

describe("texts in a preview", () => {
  it("list as much as fits on a line, and say how much more there is", () => {
    const hosts = ["db-0@10.96.0.2 (80/TCP)", "db-1@10.96.0.3 (80/TCP)", "db-2@10.96.0.4 (80/TCP)"];
    assert.equal(listed(hosts.slice(0, 2)), "db-0@10.96.0.2 (80/TCP), db-1@10.96.0.3 (80/TCP)");
    assert.equal(listed(hosts), "db-0@10.96.0.2 (80/TCP), db-1@10.96.0.3 (80/TCP) and 1 more");
    assert.equal(listed(["x".repeat(100), "y"]), `${"x".repeat(100)} and 1 more`);
  });

  it("cut a long value, and say how long it is", () => {
    assert.equal(shortened("x".repeat(86)), "x".repeat(86));
    assert.equal(shortened("x".repeat(87)), `${"x".repeat(66)}… (87 characters)`);
  });

  it("name ports by all that a mirror's port could differ in", () => {
    const port = { name: "web", port: 80, targetPort: 8080, protocol: "TCP", appProtocol: "http" };
    assert.equal(
      portsText([port, { port: 53, protocol: "UDP" }]),
      "53/UDP, web 80→8080/TCP as http",
    );
    assert.equal(portsText([]), "none");
  });

  it("count in the singular, too", () => {
    assert.deepEqual([count(1, "mirror"), count(2, "mirror")], ["1 mirror", "2 mirrors"]);
  });
});
