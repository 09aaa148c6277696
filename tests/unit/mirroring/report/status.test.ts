import assert from "node:assert/strict";
import { itemsOf } from "../../../../engine/kubernetes/client/answers.ts";
import type {
  Condition,
  ServiceStatus,
} from "../../../../engine/kubernetes/objects/link-resource.ts";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { reasons } from "../../../../engine/model/reasons.ts";
import { statusUpdate, type StatusEntry } from "../../../../engine/model/service-status.ts";

const now = new Date("2024-11-07T19:53:01.789Z");
const later = new Date("2024-12-24T12:00:00Z");
const joined: StatusEntry = { remote: "mc-demo/bb", local: "mc-demo/bb-federated" };
const refused: StatusEntry = {
  ...joined,
  problem: { reason: "InvalidService", sentence: "it is headless" },
};

function update(
  entries: readonly StatusEntry[],
  live: readonly ServiceStatus[] | undefined,
  failed: readonly (readonly [ObjectKey, string])[] = [],
  at = now,
): ServiceStatus[] | undefined {
  return statusUpdate(
    { list: "federatedServices", entries },
    {
      metadata: { namespace: "linkerd-multicluster", name: "east" },
      ...(live !== undefined && { status: { federatedServices: live } }),
    },
    new Map(failed),
    at,
  );
}

/** The list after the update. */
function after(...args: Parameters<typeof update>): readonly ServiceStatus[] {
  return update(...args) ?? args[1] ?? [];
}

function condition(list: readonly ServiceStatus[] | undefined): Condition | undefined {
  return list?.[0]?.conditions?.[0];
}

const unmirrored = (reason: string, message: string, lastTransitionTime: string) => ({
  type: "Mirrored",
  status: "False",
  reason,
  message,
  lastTransitionTime,
});
const [earlier, since] = ["2024-11-07T19:53:01Z", "2024-12-24T12:00:00Z"] as const;

/** Linkerd's guide to federated Services prints this. */
const listing = [
  {
    conditions: [
      {
        lastTransitionTime: "2024-11-07T19:53:01Z",
        localRef: { group: "", kind: "Service", name: "bb-federated", namespace: "mc-demo" },
        message: "",
        reason: "Mirrored",
        status: "True" as const,
        type: "Mirrored",
      },
    ],
    controllerName: "linkerd.io/service-mirror",
    remoteRef: { group: "", kind: "Service", name: "bb", namespace: "mc-demo" },
  },
];

describe("a list in the status of a Link (linkerd-behaviour.md 1.3)", () => {
  it("is exactly that of Linkerd's guide", () => {
    assert.deepEqual(update([joined], undefined), listing);
  });

  it("isn't written if it is equal", () => {
    assert.equal(update([joined], listing, [], later), undefined);
    assert.equal(update([], []), undefined);
    assert.equal(update([], undefined), undefined);
  });

  it("is equal in any order, with or without defaults", () => {
    const other: StatusEntry = { remote: "a/z", local: "a/z-federated" };
    const both = after([joined, other], []);
    assert.deepEqual(
      both.map(({ remoteRef }) => remoteRef.name),
      ["z", "bb"],
    );
    assert.equal(update([other, joined], both.toReversed(), [], later), undefined);
    const [entry] = listing;
    assert.ok(entry);
    const { group, kind, ...remoteRef } = entry.remoteRef;
    assert.equal(update([joined], [{ ...entry, remoteRef }], [], later), undefined);
  });

  it("is always complete: a new entry is written together with correct ones", () => {
    const more: StatusEntry = { remote: "mc-demo/web", local: "mc-demo/web-federated" };
    const list = update([joined, more], listing, [], later);
    assert.deepEqual(list?.slice(0, 1), listing);
    const times = list.map(({ conditions = [] }) => conditions[0]?.lastTransitionTime);
    assert.deepEqual(times, [earlier, since]);
  });

  it("loses the entry of a Service that is no longer exported, even the last one (Linkerd keeps it)", () => {
    assert.deepEqual(update([], listing), []);
  });

  it("keeps the time of an entry until its status changes", () => {
    const bad = after([refused], [], [], now);
    assert.equal(condition(bad)?.lastTransitionTime, "2024-11-07T19:53:01Z");
    const reworded = { ...refused, problem: { reason: "Error", sentence: "another" } };
    const still = after([reworded], bad, [], later);
    assert.deepEqual(condition(still), unmirrored("Error", "another", earlier));
    const good = after([joined], still, [], later);
    assert.equal(condition(good)?.lastTransitionTime, "2024-12-24T12:00:00Z");
  });

  it("has the reason and no localRef for a Service that isn't mirrored", () => {
    const expected = unmirrored("InvalidService", "it is headless", earlier);
    assert.deepEqual(condition(update([refused], [])), expected);
  });

  it("has Error for a mirror that could not be written, and Mirrored after a retry", () => {
    const failed = after([joined], listing, [["mc-demo/bb-federated", "no way"]], later);
    assert.deepEqual(condition(failed), unmirrored("Error", "no way", since));
    assert.equal(condition(after([joined], failed, [], later))?.reason, "Mirrored");
  });

  it("removes surplus conditions that Linkerd's controller wrote", () => {
    const [entry] = listing;
    assert.ok(entry);
    const stray: Condition = { ...entry.conditions[0], type: "Other" } as Condition;
    const list = [{ ...entry, conditions: [...entry.conditions, stray] }];
    assert.deepEqual(update([joined], list, [], later), listing);
  });

  it("keeps fields of an entry and its condition that later versions of Linkerd may add", () => {
    const [entry] = listing;
    assert.ok(entry);
    const conditions = entry.conditions.map((each) => ({ ...each, observedGeneration: 7 }));
    const list = [{ ...entry, conditions, zone: "a" }];
    assert.equal(update([joined], list, [], later), undefined);
    const [changed] = after([refused], list, [], later);
    assert.deepEqual(changed, {
      ...entry,
      zone: "a",
      conditions: [
        { ...unmirrored("InvalidService", "it is headless", since), observedGeneration: 7 },
      ],
    });
  });

  it("has only reasons that the resource's schema allows", () => {
    for (const { status } of Object.values(reasons))
      assert.match(status, /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
    assert.deepEqual([...new Set(Object.values(reasons).map(({ status }) => status))].sort(), [
      "Error",
      "InvalidService",
      "MissingNamespace",
    ]);
  });
});

describe("a list that would be too large for etcd", () => {
  const number = (index: number) => String(index).padStart(5, "0");
  const mirrored = (index: number): StatusEntry => ({
    remote: `mc-demo/web-${number(index)}`,
    local: `mc-demo/web-${number(index)}-east`,
  });
  const many = (length: number) => Array.from({ length }, (_, index) => mirrored(index));
  const broken = (index: number): StatusEntry => ({
    ...mirrored(index),
    problem: { reason: "Error", sentence: `it is ${"ü".repeat(500)}` },
  });
  const bytes = (list: unknown) => Buffer.byteLength(JSON.stringify(list));
  const halfAMebibyte = 524_288;

  it("stays below half a MiB, has every problem, and counts the rest in its last entry", () => {
    const entries = [...many(4_000), broken(8_000), broken(9_000)];
    const list = after(entries, []);
    assert.ok(bytes(list) <= halfAMebibyte && bytes(list) > halfAMebibyte - 2_048);
    const named = list.filter(({ remoteRef }) => !remoteRef.name.includes("."));
    assert.deepEqual(
      named.filter(({ conditions = [] }) => conditions[0]?.status === "False").length,
      2,
    );
    assert.deepEqual(list.at(-1), {
      controllerName: "linkerd.io/service-mirror",
      remoteRef: { group: "", kind: "Service", name: "more.services", namespace: "more" },
      conditions: [
        {
          type: "Mirrored",
          status: "True",
          reason: "Mirrored",
          message: `${(entries.length - named.length).toLocaleString("en")} more Services mirrored, which don't fit into the Link`,
          lastTransitionTime: "2024-11-07T19:53:01Z",
        },
      ],
    });
  });

  it("can be read again with the source", () => {
    const status = { federatedServices: after([...many(4_000), broken(8_000)], []) };
    const metadata = { name: "east", namespace: "linkerd-multicluster" };
    const written = { metadata, status };
    assert.deepEqual(itemsOf(resources.links, [structuredClone(written)]), [written]);
  });

  it("counts problems as well if their messages are too long", () => {
    const entries = Array.from({ length: 1_000 }, (_, index) => broken(index));
    const list = after([...entries, mirrored(5_000)], []);
    assert.ok(bytes(list) <= halfAMebibyte);
    const left = 1_000 - (list.length - 1);
    assert.ok(left > 0);
    const message = `1 more Service mirrored and ${left} not, which don't fit into the Link`;
    assert.deepEqual(list.at(-1)?.conditions?.[0], unmirrored("Error", message, earlier));
  });

  it("has shortened messages without half a character", () => {
    for (const start of ["", "x"]) {
      const problem = { reason: "Error", sentence: `${start}${"😀".repeat(1_000)}` };
      const list = after([{ ...joined, problem }], []);
      assert.equal(condition(list)?.message, `${start}${"😀".repeat(511)}…`);
    }
  });
});
