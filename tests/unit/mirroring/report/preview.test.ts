import assert from "node:assert/strict";
import type { Change, Decision } from "../../../../engine/mirroring/decide/decision.ts";
import { pendingTexts, viewOf, withHistory } from "../../../../engine/mirroring/report/changes.ts";
import type { ChangeTexts } from "../../../../engine/mirroring/model/state.ts";
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
const fields = [
  { field: "ports", live: "80/TCP", wanted: "81/TCP" },
  { field: "label app", live: "none", wanted: '"web"' },
];

describe("what a preview says of a change", () => {
  const rows: [
    rule: string,
    change: Change,
    before: Readonly<Record<string, string>>,
    ChangeTexts,
  ][] = [
    [
      "nothing of a new mirror, which the list of mirrors shows",
      { verdict: "create", wanted: mirror, ...common },
      {},
      {},
    ],
    [
      "nothing of a mirror that goes, which the list shows too",
      { verdict: "delete", ...common, live },
      listed,
      {},
    ],
    [
      "that a mirror is missing, which the list shows as there",
      { verdict: "create", wanted: mirror, ...common },
      listed,
      { [key]: { action: "create again: it is missing" } },
    ],
    [
      "that only the Service of a mirror is missing",
      { verdict: "create", wanted: mirror, ...common, live: { endpoints: endpoints(key) } },
      listed,
      { [key]: { action: "create again: its Service is missing" } },
    ],
    [
      "that a mirror goes which no run has listed",
      { verdict: "delete", ...common, live },
      {},
      { [key]: { action: "delete: left behind, nothing that is exported asks for it" } },
    ],
    [
      "that Endpoints go which have no Service",
      { verdict: "delete", ...common, live: { endpoints: endpoints(key) } },
      {},
      { [key]: { action: "delete: Endpoints left behind without their Service" } },
    ],
    [
      "each field of a mirror that is altered",
      { verdict: "update", wanted: mirror, ...common, live, fields },
      listed,
      { [key]: { ports: "80/TCP → 81/TCP", "label app": 'none → "web"' } },
    ],
    [
      "the same of a mirror that no run has listed",
      { verdict: "update", wanted: mirror, ...common, live, fields },
      {},
      { [key]: { ports: "80/TCP → 81/TCP", "label app": 'none → "web"' } },
    ],
    [
      "that a mirror is made anew, and why",
      {
        verdict: "replace",
        wanted: mirror,
        ...common,
        live,
        fields: [{ field: "clusterIP", live: "None", wanted: "an address" }],
      },
      listed,
      { [key]: { action: "replace: delete and create again", clusterIP: "None → an address" } },
    ],
  ];
  for (const [rule, change, before, texts] of rows)
    it(rule, () => {
      assert.deepEqual(pendingTexts(viewOf([change], before)), texts);
    });

  it("which namespaces are created", () => {
    assert.deepEqual(pendingTexts(viewOf([], {}), ["blog", "shop"]), {
      "namespace blog": { action: "create, with its first mirrors" },
      "namespace shop": { action: "create, with its first mirrors" },
    });
  });

  it("nothing where nothing changes", () => {
    assert.deepEqual(pendingTexts(viewOf([kept], listed)), {});
  });

  it("that a mirror comes into the list which is there already", () => {
    assert.deepEqual(pendingTexts(viewOf([kept], {})), {
      [key]: { action: "adopt: already exists" },
    });
  });

  it("that a mirror goes from the list of which nothing is deleted", () => {
    assert.deepEqual(pendingTexts(viewOf([], listed)), {
      [key]: { action: "forget: already deleted, or no longer owned" },
    });
  });
});

describe("the changes that inputs carry from run to run", () => {
  const ports = { ports: "80/TCP → 81/TCP" };
  const label = { "label app": 'none → "web"' };
  const rows: [
    rule: string,
    before: ChangeTexts | undefined,
    ChangeTexts,
    ChangeTexts | undefined,
  ][] = [
    ["are empty while there has never been any", undefined, {}, {}],
    ["are empty where the last run had none either", {}, {}, {}],
    ["begin with those of this run", undefined, { [key]: ports }, { [key]: ports }],
    ["stay as they are where nothing changes", { [key]: ports }, {}, { [key]: ports }],
    ["keep one mirror's beside another's", { a: ports }, { b: label }, { a: ports, b: label }],
    [
      "keep one field's beside another's",
      { a: ports },
      { a: label },
      { a: { ...ports, ...label } },
    ],
    [
      "tell the same change again apart",
      { [key]: ports },
      { [key]: ports },
      { [key]: { ports: "80/TCP → 81/TCP (again)" } },
    ],
    [
      "tell it apart every time",
      { [key]: { ports: "80/TCP → 81/TCP (again)" } },
      { [key]: ports },
      { [key]: ports },
    ],
    [
      "show another change of the same field as it is",
      { [key]: ports },
      { [key]: { ports: "82/TCP → 81/TCP" } },
      { [key]: { ports: "82/TCP → 81/TCP" } },
    ],
  ];
  for (const [rule, before, pending, texts] of rows)
    it(rule, () => {
      assert.deepEqual(withHistory(before, pending), texts);
    });

  it("differ from those of the last run wherever something is pending", () => {
    let texts: ChangeTexts | undefined;
    for (let run = 0; run < 5; run += 1) {
      const next = withHistory(texts, { [key]: ports });
      assert.notDeepEqual(next, texts);
      texts = next;
    }
  });
});
