import { equal } from "node:assert/strict";
import { exportMode, selects } from "../../../../engine/model/selection.ts";
import type { LabelSelector, LinkSpec } from "../../../../engine/model/link.ts";
import type { StringMap } from "../../../../engine/kubernetes/objects/objects.ts";
import { link } from "../../fixtures/link.ts";
import { service } from "../../fixtures/objects.ts";

describe("a label selector", () => {
  const term = (operator: "In" | "NotIn" | "Exists" | "DoesNotExist", key = "app") => ({
    key,
    operator,
    ...(operator.endsWith("In") && { values: ["web", "db"] }),
  });
  const expressions = (...matchExpressions: ReturnType<typeof term>[]) => ({ matchExpressions });
  const web = { matchLabels: { app: "web" } };
  const rows: [selector: LabelSelector, selected: StringMap[], not: (StringMap | undefined)[]][] = [
    [{}, [], [{}, { app: "web" }]],
    [{ matchLabels: {}, matchExpressions: [] }, [], [{}, { app: "web" }]],
    [web, [{ app: "web" }], [{ app: "db" }, { tier: "web" }, undefined]],
    [{ matchLabels: { app: "" } }, [{ app: "" }], [{}]],
    [{ matchLabels: { app: "web", tier: "1" } }, [{ app: "web", tier: "1" }], [{ app: "web" }]],
    [expressions(term("In")), [{ app: "db" }, { app: "web" }], [{ app: "cache" }, {}]],
    [expressions(term("NotIn")), [{ app: "cache" }, {}], [{ app: "db" }]],
    [expressions(term("Exists")), [{ app: "" }], [{}]],
    [expressions(term("DoesNotExist")), [{}], [{ app: "" }]],
    [expressions(term("Exists"), term("NotIn")), [{ app: "cache" }], [{ app: "web" }, {}]],
    [
      { ...web, ...expressions(term("Exists", "tier")) },
      [{ app: "web", tier: "" }],
      [{ app: "web" }],
    ],
    // Every object inherits a property of this name.
    [expressions(term("Exists", "constructor")), [{ constructor: "" }], [{}]],
    [expressions(term("DoesNotExist", "constructor")), [{}], [{ constructor: "" }]],
  ];
  for (const [selector, selected, not] of rows)
    it(`selects as in Kubernetes, and nothing without a term: ${JSON.stringify(selector)}`, () => {
      for (const labels of selected) equal(selects(selector, labels), true);
      for (const labels of not) equal(selects(selector, labels), false);
    });
});

describe("whether and how a Service is exported (linkerd-behaviour.md 2.1)", () => {
  const exported = (value: string): StringMap => ({ "mirror.linkerd.io/exported": value });
  const member: StringMap = { "mirror.linkerd.io/federated": "member" };
  const bothSelect: Partial<LinkSpec> = {
    selector: { matchExpressions: [{ key: "app", operator: "Exists" }] },
    remoteDiscoverySelector: { matchLabels: { app: "web" } },
  };
  const noDiscovery = { remoteDiscoverySelector: {} };
  type Mode = ReturnType<typeof exportMode>;
  const rows: [rule: string, labels: StringMap, mode: Mode, overrides?: Partial<LinkSpec>][] = [
    ["not, without a label", {}, undefined],
    ["exported=true goes behind the gateway", exported("true"), "gateway"],
    ["exported=remote-discovery is for discovery", exported("remote-discovery"), "discovery"],
    ["federated members may be exported too", { ...exported("true"), ...member }, "gateway"],
    ["federated members need not be exported", member, undefined],
    ["exported=false says no", exported("false"), undefined],
    ["any other value says nothing, whatever the key", exported("yes"), undefined],
    ["where both selectors match, discovery wins", { app: "web" }, "discovery", bothSelect],
    ["where one selector matches, it decides", { app: "db" }, "gateway", bothSelect],
    ["an empty selector selects nothing", exported("true"), undefined, { selector: {} }],
    ["neither for discovery", exported("remote-discovery"), undefined, noDiscovery],
  ];
  for (const [rule, labels, mode, overrides] of rows)
    it(rule, () => {
      equal(exportMode(service("shop/web", { labels }), link(overrides)), mode);
    });
});
