import assert from "node:assert/strict";
import type { LinkSettings } from "../../../../engine/mirroring/model/link-settings.ts";
import type { Change, Plan } from "../../../../engine/mirroring/plan/change.ts";
import { check } from "../../../../engine/mirroring/reconcile/check.ts";
import type { Before, Facts, Planned } from "../../../../engine/mirroring/reconcile/state.ts";
import type { Survey } from "../../../../engine/mirroring/reconcile/survey.ts";

const link: LinkSettings = { source: "east", target: "west" };
const args = {
  link,
  clusters: { east: { context: "k3d-east" }, west: { context: "k3d-west" } },
  siblings: [],
};
const identities = { east: "uid-e", west: "uid-w" };
const settled: Planned = { mirrors: { "shop/web-west": "a mirror" }, identities, revision: 4 };
const deletion: Change = {
  action: "delete",
  kind: "gateway",
  key: "shop/old-west",
  live: {},
  fields: [],
};
const now = () => new Date("2026-01-02T03:04:05Z");

function planned(plan: Partial<Plan> = {}, facts: Facts = {}): Survey {
  const all: Plan = {
    namespaces: [],
    addresses: new Map(),
    changes: [],
    wanted: [],
    mirrors: { "shop/web-west": "a mirror" },
    skips: [],
    ...plan,
  };
  return { outcome: "planned", plan: all, facts, identities, notes: [], statuses: [] };
}

function unreachable(fatal = false): Survey {
  return { outcome: "unreachable", cluster: "west", why: "cluster west can't be reached", fatal };
}

function checked(olds: Before, survey: Survey, status = {}) {
  return check(olds, args, survey, status, now);
}

describe("check", () => {
  it("leaves the revision where there is nothing to do or to tell, and then forgets old changes", () => {
    const { inputs, failures } = checked(
      { ...settled, changes: { "shop/web-west": { action: "create again: it is missing" } } },
      planned(),
    );
    assert.deepEqual(inputs, { ...args, ...settled });
    assert.deepEqual(failures, []);
  });

  it("creates the resource even where there is nothing to mirror", () => {
    assert.equal(checked({}, planned({ mirrors: {} })).inputs.revision, 1);
  });

  const skips: Plan["skips"] = [
    { origin: "shop/db", mirror: "db-west", reason: "NoPorts", sentence: "it has no ports" },
  ];
  const worthARun: [what: string, olds: Partial<Planned>, survey: Survey][] = [
    ["a change", settled, planned({ changes: [deletion] })],
    ["a namespace", settled, planned({ namespaces: ["shop"] })],
    ["a Service that is not mirrored any more", settled, planned({ skips })],
    ["one that is again", { ...settled, notMirrored: { "shop/db": "x" } }, planned()],
    [
      "a gateway elsewhere",
      settled,
      planned({}, { gateway: { addresses: "192.0.2.1", port: 4143, identity: "" } }),
    ],
    ["differing ports", settled, planned({}, { portConflicts: { "shop/bb": "differ" } })],
    [
      "a cluster that is back",
      { ...settled, unreachable: { cluster: "west", since: "2026-01-01T00:00:00Z", why: "gone" } },
      planned(),
    ],
    ["a cluster that is out of reach", settled, unreachable()],
  ];
  for (const [what, olds, survey] of worthARun)
    it(`counts ${what} as a reason for a run`, () => {
      assert.equal(checked(olds, survey).inputs.revision, 5);
    });

  it("counts another way to a cluster as one, since destroy goes by what state says", () => {
    const renamed = { ...args.clusters, east: { context: "east" } };
    assert.equal(checked({ ...settled, clusters: renamed }, planned()).inputs.revision, 5);
    const { east } = args.clusters;
    assert.equal(checked({ ...settled, clusters: { east } }, planned()).inputs.revision, 4);
  });

  it("counts a Link status that is out of date as one too, and shows it", () => {
    const status = { "Link mc/west": { "status.mirrorServices": "1 Service mirrored, 0 not" } };
    const { inputs } = checked(settled, planned(), status);
    assert.equal(inputs.revision, 5);
    assert.deepEqual(inputs.changes, status);
  });

  it("shows each skip in the inputs and as a note", () => {
    const { inputs, notes } = checked(settled, planned({ skips }));
    assert.deepEqual(inputs.notMirrored, { "shop/db": "NoPorts: it has no ports" });
    assert.deepEqual(notes, ["shop/db is not mirrored (NoPorts): it has no ports"]);
  });

  it("keeps everything of a cluster out of reach, and says since when", () => {
    const outage = {
      cluster: "west",
      since: "2026-01-02T03:04:05.000Z",
      why: "cluster west can't be reached",
    };
    const first = checked(settled, unreachable());
    assert.deepEqual(first.inputs, { ...args, ...settled, unreachable: outage, revision: 5 });
    assert.deepEqual(first.notes, [
      "its mirrors stay as they are, because since 2026-01-02T03:04:05.000Z cluster west can't be reached",
    ]);
    const again = check(first.inputs, args, unreachable(), {}, () => new Date("2026-02-02"));
    assert.deepEqual(again.inputs, first.inputs);
  });

  it("fails for a cluster out of reach where the link asks for it", () => {
    assert.deepEqual(checked(settled, unreachable(true)).failures, [
      { property: "config", reason: "cluster west can't be reached" },
    ]);
  });

  it("fails with a user's mistake", () => {
    const { failures } = checked(settled, { outcome: "mistaken", why: "no such context" });
    assert.deepEqual(failures, [{ property: "config", reason: "no such context" }]);
  });

  it("refuses a context that leads to another cluster than last time", () => {
    const moved = { ...settled, identities: { east: "uid-e", west: "uid-of-before" } };
    const [failure] = checked(moved, planned()).failures;
    assert.equal(
      failure?.reason,
      "context k3d-west of cluster west now leads to another cluster than last time (its kube-system has UID uid-w, and had uid-of-before): put the context right, or, if the cluster was made anew, take this resource out of the stack's state with pulumi state delete and run again",
    );
  });

  it("remembers clusters that this run could not see", () => {
    const { inputs } = checked({ ...settled, identities: { north: "uid-n" } }, planned());
    assert.deepEqual(inputs.identities, { north: "uid-n", ...identities });
  });
});
