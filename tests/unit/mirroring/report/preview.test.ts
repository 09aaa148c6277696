import assert from "node:assert/strict";
import type { Change, Decision } from "../../../../engine/model/decision.ts";
import { withHistory } from "../../../../engine/mirroring/report/inputs.ts";
import { reportOn } from "../../../../engine/mirroring/report/part.ts";
import { mirrorsPart } from "../../../../engine/mirroring/report/parts.ts";
import type { ChangeTexts } from "../../../../engine/model/state.ts";
import type { StringMap } from "../../../../engine/kubernetes/objects/objects.ts";
import { mirrorAt, wanted } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, service } from "../../fixtures/objects.ts";

const key = "shop/web-west";
const mirror = mirrorAt(
  key,
  wanted({ target: cluster("west", { services: [exported("shop/web")] }) }),
);
const listed = { [key]: "gateway mirror of web: http 80/TCP" };
const common = { part: "west", key, kind: "gateway", live: {}, fields: [] } as const;
const kept: Decision = { verdict: "keep", wanted: mirror, ...common };
const live = { service: service(key), endpoints: endpoints(key) };
const ports = { field: "ports", live: "80/TCP", wanted: "81/TCP" };
const app = { field: "label app", live: "none", wanted: '"web"' };
const address = { field: "clusterIP", live: "None", wanted: "an address" };
const write = (verdict: "create" | "update" | "replace", more: Partial<Change> = {}) =>
  ({ ...common, verdict, wanted: mirror, ...more }) as Change;
const deletion: Change = { verdict: "delete", ...common, live };
const many = Array.from({ length: 25 }, (_, i) => ({ ...app, field: `label l${10 + i}` }));
const few = Object.fromEntries(many.slice(0, 20).map(({ field }) => [field, 'none → "web"']));
const action = (text: string) => ({ [key]: { action: text } });
const altered = { [key]: { ports: "80/TCP → 81/TCP", "label app": 'none → "web"' } };

describe("the changes in a preview", () => {
  const rows: [rule: string, decision: Decision[], before: StringMap, expected: ChangeTexts][] = [
    ["are empty if nothing changes", [kept], listed, {}],
    ["omit a new mirror, which the list of mirrors shows", [write("create")], {}, {}],
    ["omit a listed mirror that is deleted, which the list shows too", [deletion], listed, {}],
    [
      "say that a listed mirror is missing",
      [write("create")],
      listed,
      action("recreate: it is missing"),
    ],
    [
      "say that only the Service of a listed mirror is missing",
      [write("create", { live: { endpoints: endpoints(key) } })],
      listed,
      action("recreate: its Service is missing"),
    ],
    [
      "say that an unlisted mirror is deleted",
      [deletion],
      {},
      action("delete: no exported Service needs it"),
    ],
    [
      "say that Endpoints without a Service are deleted",
      [{ ...deletion, live: { endpoints: endpoints(key) } }],
      {},
      action("delete: Endpoints left behind without their Service"),
    ],
    [
      "have each field of an updated mirror",
      [write("update", { live, fields: [ports, app] })],
      listed,
      altered,
    ],
    [
      "count the fields beyond the first 20",
      [write("update", { live, fields: many })],
      listed,
      { [key]: { ...few, "more fields": "5" } },
    ],
    [
      "have each field of an unlisted mirror",
      [write("update", { fields: [ports, app] })],
      {},
      altered,
    ],
    [
      "say that a mirror is replaced, and why",
      [write("replace", { live, fields: [address] })],
      listed,
      { [key]: { action: "replace: delete and create again", clusterIP: "None → an address" } },
    ],
    [
      "say that an unlisted mirror of this stack is there",
      [kept],
      {},
      action("list: already there"),
    ],
    [
      "say that a listed mirror no longer exists",
      [],
      listed,
      action("unlist: already deleted, or no longer this stack's"),
    ],
  ];
  for (const [rule, decisions, before, expected] of rows)
    it(rule, () => {
      assert.deepEqual(reportOn(mirrorsPart("west", decisions), { before }).changes, expected);
    });

  it("have the namespaces to create", () => {
    const created = { action: "create, with its first mirrors" };
    const namespaces = ["blog", "shop"];
    const { changes } = reportOn(mirrorsPart("west", []), { before: {}, namespaces });
    assert.deepEqual(changes, {
      "namespace blog": created,
      "namespace shop": created,
    });
  });
});

describe("the changes that inputs keep from run to run", () => {
  const text = { ports: "80/TCP → 81/TCP" };
  const again = { ports: "80/TCP → 81/TCP (again)" };
  const other = { ports: "82/TCP → 81/TCP" };
  const label = { "label app": 'none → "web"' };
  const rows: [rule: string, before: ChangeTexts | undefined, now: ChangeTexts, ChangeTexts][] = [
    ["are empty if there have never been any", undefined, {}, {}],
    ["start with those of this run", undefined, { a: text }, { a: text }],
    ["stay as they are if nothing changes", { a: text }, {}, { a: text }],
    ["keep one mirror's beside another's", { a: text }, { b: label }, { a: text, b: label }],
    ["keep one field's beside another's", { a: text }, { a: label }, { a: { ...text, ...label } }],
    ["are replaced if there would be too many for a mirror", { a: label }, { a: few }, { a: few }],
    ["distinguish a repeated change", { a: text }, { a: text }, { a: again }],
    ["distinguish a change that is repeated twice", { a: again }, { a: text }, { a: text }],
    ["have only the latest change of a field", { a: text }, { a: other }, { a: other }],
  ];
  for (const [rule, before, pending, texts] of rows)
    it(rule, () => {
      assert.deepEqual(withHistory(before, pending), texts);
    });
});
