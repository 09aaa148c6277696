import assert from "node:assert/strict";
import { exportMode } from "../../../../engine/mirroring/decide/policies/selection.ts";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { StringMap } from "../../../../engine/kubernetes/objects/objects.ts";
import { link } from "../../fixtures/link.ts";
import { service } from "../../fixtures/objects.ts";

const exported = (value: string): StringMap => ({ "mirror.linkerd.io/exported": value });
const member: StringMap = { "mirror.linkerd.io/federated": "member" };
const bothSelect: Partial<LinkSpec> = {
  selector: { matchExpressions: [{ key: "app", operator: "Exists" }] },
  remoteDiscoverySelector: { matchLabels: { app: "web" } },
};

describe("whether and how a Service is exported (linkerd-behaviour.md 2.1)", () => {
  const rows: [
    rule: string,
    labels: StringMap,
    mode: ReturnType<typeof exportMode>,
    overrides?: Partial<LinkSpec>,
  ][] = [
    ["not, without a label", {}, undefined],
    ["exported=true goes behind the gateway", exported("true"), "gateway"],
    [
      "exported=remote-discovery is mirrored for discovery",
      exported("remote-discovery"),
      "discovery",
    ],
    ["federated members may be exported too", { ...exported("true"), ...member }, "gateway"],
    ["federated members need not be exported", member, undefined],
    ["exported=false says no", exported("false"), undefined],
    ["any other value says nothing, whatever the key", exported("yes"), undefined],
    ["where both selectors match, discovery wins", { app: "web" }, "discovery", bothSelect],
    ["where one selector matches, it decides", { app: "db" }, "gateway", bothSelect],
    ["an empty selector selects nothing", exported("true"), undefined, { selector: {} }],
    [
      "an empty remoteDiscoverySelector selects nothing",
      exported("remote-discovery"),
      undefined,
      { remoteDiscoverySelector: {} },
    ],
  ];
  for (const [rule, labels, mode, overrides] of rows)
    it(rule, () => {
      assert.equal(exportMode(service("shop/web", { labels }), link(overrides)), mode);
    });
});
