import assert from "node:assert/strict";
import { selects } from "../../../../engine/mirroring/decide/policies/selection.ts";
import type { LabelSelector } from "../../../../engine/mirroring/model/link.ts";
import type { StringMap } from "../../../../engine/kubernetes/objects/objects.ts";

type Row = [
  rule: string,
  selector: LabelSelector,
  labels: StringMap | undefined,
  selected: boolean,
];

const inShops: LabelSelector = {
  matchExpressions: [{ key: "app", operator: "In", values: ["web", "db"] }],
};
const notInShops: LabelSelector = {
  matchExpressions: [{ key: "app", operator: "NotIn", values: ["web", "db"] }],
};
const exists: LabelSelector = { matchExpressions: [{ key: "app", operator: "Exists" }] };
const absent: LabelSelector = { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] };

const rows: Row[] = [
  ["one without a term selects nothing", {}, { app: "web" }, false],
  ["one with empty lists selects nothing", { matchLabels: {}, matchExpressions: [] }, {}, false],
  ["matchLabels wants the value", { matchLabels: { app: "web" } }, { app: "web" }, true],
  ["matchLabels refuses another value", { matchLabels: { app: "web" } }, { app: "db" }, false],
  ["matchLabels refuses a missing key", { matchLabels: { app: "web" } }, { tier: "web" }, false],
  ["matchLabels refuses no labels at all", { matchLabels: { app: "web" } }, undefined, false],
  ["matchLabels can want an empty value", { matchLabels: { app: "" } }, { app: "" }, true],
  ["an empty value is not a missing key", { matchLabels: { app: "" } }, {}, false],
  ["all matchLabels must hold", { matchLabels: { app: "web", tier: "1" } }, { app: "web" }, false],
  ["In takes any of its values", inShops, { app: "db" }, true],
  ["In refuses other values", inShops, { app: "cache" }, false],
  ["In refuses a missing key", inShops, {}, false],
  ["NotIn refuses its values", notInShops, { app: "db" }, false],
  ["NotIn takes other values", notInShops, { app: "cache" }, true],
  ["NotIn takes a missing key", notInShops, {}, true],
  ["Exists takes any value", exists, { app: "" }, true],
  ["Exists refuses a missing key", exists, {}, false],
  ["DoesNotExist refuses any value", absent, { app: "" }, false],
  ["DoesNotExist takes a missing key", absent, {}, true],
  ["all expressions must hold", both(exists, notInShops), { app: "cache" }, true],
  ["one broken expression is enough to refuse", both(exists, notInShops), { app: "web" }, false],
  [
    "matchLabels and matchExpressions must both hold",
    { matchLabels: { tier: "1" }, ...exists },
    { app: "web" },
    false,
  ],
  ["a key that every object inherits is missing all the same", inherited("Exists"), {}, false],
  ["DoesNotExist takes an inherited key", inherited("DoesNotExist"), {}, true],
];

describe("a label selector", () => {
  for (const [rule, selector, labels, selected] of rows)
    it(rule, () => {
      assert.equal(selects(selector, labels), selected);
    });
});

function both(...selectors: LabelSelector[]): LabelSelector {
  return { matchExpressions: selectors.flatMap((one) => one.matchExpressions ?? []) };
}

function inherited(operator: "Exists" | "DoesNotExist"): LabelSelector {
  return { matchExpressions: [{ key: "constructor", operator }] };
}
