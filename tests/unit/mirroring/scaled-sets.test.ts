import { deepEqual, match } from "node:assert/strict";
import type { StatefulSet } from "../../../engine/kubernetes/objects/workload-resource.ts";
import type { LinkSpec } from "../../../engine/model/link.ts";
import { argsFor, having, run, type Scenario, settled } from "../fixtures/checked.ts";
import { endpoints, exported, exporting, headless, pods } from "../fixtures/objects.ts";

const names = (count: number, of: string) =>
  Array.from({ length: count }, (_, index) => `${of}-${index}`);
const kafka = names(12, "kafka");

/** A target with `kafka`, so many of whose pods are there, and with ordinary Services. */
const west = (ready: number, services = names(6, "web"), exportsRoot = true) =>
  exporting(
    "west",
    [
      ...(exportsRoot ? [headless("shop/kafka")] : []),
      ...services.map((name) => exported(`shop/${name}`)),
    ],
    {
      endpoints: [endpoints("shop/kafka", ready === 0 ? [] : [pods(kafka.slice(0, ready))])],
    },
  );

function set(replicas: number, current = replicas, uid = "first"): StatefulSet {
  return {
    metadata: { namespace: "shop", name: "kafka", uid },
    spec: { serviceName: "kafka", replicas },
    status: { replicas: current },
  };
}

const config = (link: Partial<LinkSpec> = {}) =>
  argsFor([{ target: "west", headless: true, ...link }]);

/** Returns what a run refuses and leaves that finds this after one with all pods. */
async function scaled(
  after: Partial<Scenario> & { readonly west: NonNullable<Scenario["clusters"][string]> },
  link: Partial<LinkSpec> = {},
  forget?: "forget",
) {
  const { west: target, ...rest } = after;
  const before = await first(link);
  const known = forget === undefined ? before : { ...before, before: withoutSets(before.before) };
  const { refused, left } = await run({ ...having(known, { west: target }), ...rest });
  return { refused: Object.values(refused), left: left.length };
}

async function first(link: Partial<LinkSpec>) {
  const fresh = await settled({ west: west(12) }, config(link));
  // The first run of the fixture has seen no StatefulSets.
  return (await run({ ...fresh, statefulSets: [set(12)] })).after;
}

function withoutSets({ statefulSets: _, ...before }: NonNullable<Scenario["before"]>) {
  return before;
}

describe("mirrors of pods that a StatefulSet no longer has", () => {
  for (const { what, link = {}, after } of [
    { what: "are deleted past maxDeletions if it is scaled to zero", after: [0, set(0)] },
    { what: "are deleted past maxDeletions: 0", link: { maxDeletions: 0 }, after: [0, set(0)] },
    {
      what: "are deleted past maxDeletions with readiness: follow",
      link: { readiness: "follow" },
      after: [0, set(0)],
    },
    { what: "are deleted past maxDeletions if some are left", after: [1, set(1)] },
  ] as const)
    it(what, async () => {
      const [ready, statefulSet] = after;
      const found = await scaled({ west: west(ready), statefulSets: [statefulSet] }, link);
      deepEqual(found, { refused: [], left: 7 + ready });
    });

  it("don't add up with mirrors that are un-exported elsewhere", async () => {
    const target = west(0, names(4, "web"));
    deepEqual(await scaled({ west: target, statefulSets: [set(0)] }), { refused: [], left: 5 });
  });

  it("don't raise the share of the others that may be deleted", async () => {
    const many = names(12, "web");
    const before = await settled({ west: west(12, many) }, config());
    const calm = await run({ ...before, statefulSets: [set(12)] });
    const target = west(0, names(5, "web"));
    const { refused } = await run({
      ...having(calm.after, { west: target }),
      statefulSets: [set(0)],
    });
    match(Object.values(refused).join(), /would delete 7 of its 13 mirrors .* allows 6/);
  });

  for (const [what, statefulSets, exportsRoot = true] of [
    ["it is another StatefulSet of that name", [set(0, 0, "second")]],
    ["its pods are still there", [set(0, 12)]],
    ["it says nothing of its pods", [{ ...set(0), status: {} }]],
    ["it is gone", []],
    ["the Service is no longer exported", [set(0)], false],
  ] as const)
    it(`count if ${what}`, async () => {
      const found = await scaled({
        west: west(0, names(6, "web"), exportsRoot),
        statefulSets: [...statefulSets],
        at: new Date("2027-01-01T00:00:00Z"),
      });
      deepEqual([found.refused.length, found.left], [1, 19]);
    });

  it("count if no run has seen it before", async () => {
    const found = await scaled({ west: west(0), statefulSets: [set(0)] }, {}, "forget");
    deepEqual([found.refused.length, found.left], [1, 19]);
  });

  it("count if the target is another cluster than the one that had it", async () => {
    const moved = { ...west(0), identity: "another" };
    const args = config();
    const clusters = { ...args.clusters, west: { context: "west", uid: "another" } };
    const found = await scaled({
      west: moved,
      statefulSets: [set(0)],
      args: { ...args, clusters },
    });
    deepEqual([found.refused.length, found.left], [1, 19]);
  });

  it("count as long as a StatefulSet that was made again has not had them", async () => {
    const again = { statefulSets: [set(1, 1, "second")] };
    const { after } = await run({ ...having(await first({}), { west: west(1) }), ...again });
    const found = await run({ ...after, ...again });
    deepEqual([Object.keys(found.refused).length, found.left.length], [1, 19]);
  });

  it("count with a StatefulSet that was made again once they are back", async () => {
    const calm = await run({ ...(await first({})), statefulSets: [set(12, 12, "second")] });
    const target = having(calm.after, { west: west(0) });
    const found = await run({ ...target, statefulSets: [set(0, 0, "second")] });
    deepEqual([Object.keys(found.refused).length, found.left.length], [0, 7]);
  });
});
