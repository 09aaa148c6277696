import { deepEqual, equal, match } from "node:assert/strict";
import { statusOf, statusTable } from "../../../tool/status.ts";
import { Mesh } from "./mesh.ts";

describe("status", () => {
  it("is not in order before a run, and says what that would do", async () => {
    const status = statusOf(await new Mesh().facts());
    equal(status.inOrder, false);
    match(statusTable(status), /\n {2}east <- west: \+1, 1 not mirrored \(\+ shop\/web-west\)\n/);
  });

  it("is not in order once a mirror is lost", async () => {
    const mesh = await new Mesh().up();
    mesh.clusters.east.delete("services", "shop/web-west");
    const status = statusOf(await mesh.facts());
    equal(status.inOrder, false);
    match(statusTable(status), /^‼ east <- west +gateway +1 +1 +1 /m);
    // A missing namespace is only a warning.
    deepEqual(status.problems, [
      "east/west: gateway mirror east/shop/web-west is missing: run pulumi up",
    ]);
  });

  it("knows nothing of a link whose target can't be read, and says why", async () => {
    const mesh = await new Mesh().up();
    delete mesh.clusters.north;
    const { inOrder, links, clusters } = statusOf(await mesh.facts());
    equal(inOrder, false);
    deepEqual(
      links.map(({ isDecided }) => isDecided),
      [false, false],
    );
    match(clusters.find(({ name }) => name === "north")?.why ?? "", /no context north/);
  });

  it("fits on a screen", async () => {
    const mesh = await (await new Mesh().up()).up();
    const status = statusOf(await mesh.facts());
    equal(status.inOrder, true);
    equal(
      statusTable(status),
      `prod: in order

  LINK           MODE     MIRRORS  TO DO  NOT MIRRORED  GATEWAY
‼ east <- west   gateway  1        0      1             not probed 192.0.2.10:4143
√ east <- north  flat     0        0      0             -

  CLUSTER  STATE  LINKERD  ANCHORS  ISSUER
√ east     read   -        -        -
√ west     read   -        -        -
√ north    read   -        -        -

Federated Services: 1, 1 without some of their members
  ‼ east/shop/bb-federated: 1 of 2 (bb@west)

Not mirrored ("explain SERVICE" says why)
  ‼ east <- west: 1 MissingNamespace

The next up
  has nothing to do about mirrors
`,
    );
  });
});
