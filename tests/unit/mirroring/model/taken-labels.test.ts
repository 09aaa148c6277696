import { deepEqual } from "node:assert/strict";
import { linkDefaults } from "../../../../engine/mirroring/model/link-settings.ts";
import type { LabelSelector, LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import { takenLabels } from "../../../../engine/mirroring/model/taken-labels.ts";

const link = (more: Partial<LinkSpec> = {}): LinkSpec => ({
  ...{ ...linkDefaults, source: "east", target: "west" },
  ...more,
});
const [exported, federated] = ["mirror.linkerd.io/exported", "mirror.linkerd.io/federated"];
const selector: LabelSelector = {
  matchLabels: { team: "a" },
  matchExpressions: [
    { key: "tier", operator: "In", values: ["web", "db"] },
    { key: "team", operator: "NotIn", values: ["c"] },
  ],
};

describe("the labels that links take", () => {
  it("are those of all their selectors, in one order", () => {
    deepEqual(takenLabels([link(), link({ selector }), link()]), {
      [exported]: ["remote-discovery", "true"],
      [federated]: ["member"],
      team: ["a"],
      tier: ["db", "web"],
    });
  });

  it("are not those of a gateway where there is none", () => {
    deepEqual(takenLabels([link({ gateway: false })])[exported], ["remote-discovery"]);
  });

  it("are not those of which any value will do", () => {
    const open: LabelSelector = { matchExpressions: [{ key: "team", operator: "Exists" }] };
    deepEqual(takenLabels([link({ selector }), link({ selector: open })])["team"], undefined);
  });
});
