import { equal } from "node:assert/strict";
import { describeWanted } from "../../../engine/mirroring/report/describe.ts";
import { shortened } from "../../../engine/mirroring/model/text.ts";

describe("what a cluster says is shown without what a terminal obeys", () => {
  it("in a change and in the line of a mirror", () => {
    const [forged, shown] = ["x\nStatus: √\u001b[2K\u202e", "x?Status: √?[2K?"];
    equal(shortened(forged), shown);
    const annotations = { "multicluster.linkerd.io/remote-discovery": forged };
    const mirror = {
      namespace: "shop",
      name: "a-federated",
      origin: "shop/a",
      labels: {},
    } as const;
    equal(
      describeWanted({ ...mirror, kind: "federated", annotations, ports: [] }),
      `federated Service of ${shown}: none`,
    );
  });
});
