import { deepEqual, equal, match } from "node:assert/strict";
import { statusOf, statusTable } from "../../../cli/status.ts";
import { Mesh } from "./mesh.ts";

describe("status", () => {
  it("is degraded once a mirror is deleted", async () => {
    const mesh = await new Mesh().up();
    mesh.clusters.east.delete("services", "shop/web-west");
    const status = statusOf(await mesh.facts());
    equal(status.ok, false);
    const table = statusTable(status);
    match(table, /^‼ east → west +gateway +1 +1 +1 /m);
    match(table, /\n {2}east → west: \+1, 1 not mirrored \(\+ shop\/web-west\)\n/);
    // A missing namespace is only a warning.
    deepEqual(status.problems, ["east → west: gateway mirror east/shop/web-west is missing"]);
  });

  it("shows a mesh on one screen", async () => {
    const mesh = await (await new Mesh().up()).up();
    const status = statusOf(await mesh.facts());
    equal(status.ok, true);
    equal(
      statusTable(status),
      `prod: ok

  LINK          MODE     MIRRORS  PENDING  NOT MIRRORED  GATEWAY
‼ east → west   gateway  1        0        1             not probed 192.0.2.10:4143
√ east → north  flat     0        0        0             -

  CLUSTER  STATE  LINKERD  ANCHORS  ISSUER
√ east     ok     -        -        -
√ west     ok     -        -        -
√ north    ok     -        -        -

Federated Services: 1, 1 incomplete
  ‼ east/shop/bb-federated: 1 of 2 (bb@west)

Not mirrored (see explain SERVICE)
  ‼ east → west: 1 MissingNamespace

Next up
  no changes to mirrors
`,
    );
  });
});
