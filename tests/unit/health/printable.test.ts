import { deepEqual, equal } from "node:assert/strict";
import type { HealthCheck } from "../../../engine/health/check.ts";
import type { HealthMesh } from "../../../engine/health/mesh.ts";
import { resultOf } from "../../../engine/health/report.ts";
import { describeWanted } from "../../../engine/mirroring/report/describe.ts";
import { shortened } from "../../../engine/mirroring/model/text.ts";

const forged = "x\nStatus: √\u001b[2K\u202e";
const shown = "x?Status: √?[2K?";

describe("what a cluster says is shown without what a terminal obeys", () => {
  const check = (verdict: ReturnType<HealthCheck<{ readonly mesh: HealthMesh }>["run"]>) => {
    const all = { id: "i", title: "t", severity: "error", aboutLinkerd: false } as const;
    const mesh: HealthMesh = {
      ...{ manage: "links", linkerdNamespace: "l", multiclusterNamespace: "m" },
      ...{ clusters: {}, links: [] },
    };
    return resultOf({ ...all, run: () => verdict }, { mesh });
  };

  it("in a finding and in why a check was skipped", () => {
    deepEqual(check([forged]).findings, [{ severity: "error", sentence: shown }]);
    equal(check({ skipped: forged }).why, shown);
  });

  it("in a change and in the line of a mirror", () => {
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
