import { deepEqual } from "node:assert/strict";
import type { Endpoints } from "../../../../engine/kubernetes/objects/objects.ts";
import type { StatefulSet } from "../../../../engine/kubernetes/objects/workload-resource.ts";
import { keyOf } from "../../../../engine/kubernetes/objects/objects.ts";
import { absentPods, deletionTime } from "../../../../engine/model/absent-pods.ts";
import { link, mirrorAt, type LinkScenario, west, wanted } from "../../fixtures/link.ts";
import {
  endpoints,
  headless,
  later,
  podPorts,
  pods,
  service,
  written,
} from "../../fixtures/objects.ts";
import { actions, planned, reconciled } from "../../fixtures/reconcile.ts";

const mirrored = { "mirror.linkerd.io/mirrored-service": "true" };
const db = headless("shop/db");
const admin = [{ name: "admin", protocol: "TCP", port: 9090 }];
/** The target with its Endpoints in these subsets. */
const listing = (...subsets: NonNullable<Endpoints["subsets"]>) =>
  west([db], [endpoints("shop/db", subsets)]);
const full = listing(pods(["db-0", "db-1"]), pods(["db-2"], [], admin));
const source = await reconciled({ target: full });
const without = listing(pods(["db-0", "db-1"]));
const key = "shop/db-2-west";

function set(spec: StatefulSet["spec"], name = "db", namespace = "shop"): Partial<LinkScenario> {
  return {
    statefulSets: [{ metadata: { namespace, name }, spec: { serviceName: "db", ...spec } }],
  };
}

/** Two managers have written the Endpoints; the order of the entries says nothing. */
const lastWrite = "2026-01-02T03:08:00Z";
const twice = [{ time: lastWrite }, { time: written }];

/** `since`: the mirror waits for its pod since then. */
type Row = [why: string, found: Partial<LinkScenario>, outcome: "stays" | "goes", since?: string];

const rows: Row[] = [
  ["its StatefulSet has it", set({ replicas: 3 }), "stays"],
  ["its StatefulSet has fewer pods by now", set({ replicas: 2 }), "goes"],
  ["its StatefulSet has no replicas, which means 1", set({}), "goes"],
  ["its StatefulSet starts at its ordinal", set({ ordinals: { start: 2 } }), "stays"],
  [
    "its StatefulSet starts after its ordinal",
    set({ replicas: 9, ordinals: { start: 3 } }),
    "goes",
  ],
  ["no StatefulSet is known, for less than five minutes", {}, "stays", written],
  ["no StatefulSet is known, for an hour", { now: later }, "goes"],
  ["no StatefulSet is known, for five minutes", { now: deletionTime(written) }, "goes"],
  [
    "its Endpoints were written again since",
    {
      target: west(
        [db],
        [endpoints("shop/db", [pods(["db-0", "db-1"])], { managedFields: twice })],
      ),
      now: deletionTime(written),
    },
    "stays",
    lastWrite,
  ],
  [
    "its StatefulSet has no spec",
    { statefulSets: [{ metadata: { namespace: "shop", name: "db" } }] },
    "stays",
    written,
  ],
  [
    "the time of the last write of the Endpoints is unknown",
    {
      target: west([db], [endpoints("shop/db", [pods(["db-0", "db-1"])], { managedFields: [] })]),
      now: later,
    },
    "stays",
  ],
  [
    "the StatefulSet is of another Service",
    set({ replicas: 2, serviceName: "cache" }),
    "stays",
    written,
  ],
  ["the StatefulSet is in another namespace", set({ replicas: 2 }, "db", "blog"), "stays", written],
  ["there are no Endpoints", { target: west([db]), now: later }, "stays"],
  [
    "the link follows readiness, as Linkerd does",
    { ...set({ replicas: 3 }), link: { readiness: "follow" } },
    "goes",
  ],
];

describe("the mirror of a pod that is in no Endpoints", () => {
  for (const [why, scenario, outcome, since] of rows)
    it(`${outcome} where ${why}`, () => {
      const found = { target: without, source, ...scenario };
      deepEqual(wanted(found).missing, since === undefined ? {} : { [key]: since });
      deepEqual(
        actions(planned(found)).filter((action) => action.startsWith("delete")),
        outcome === "stays" ? [] : [`delete endpoint ${key}`],
      );
    });

  for (const name of ["db-02", "db-2a", "db-a2", "db-"])
    it(`doesn't depend on a StatefulSet that wouldn't name it so: ${name}`, async () => {
      const before = await reconciled({ target: listing(pods(["db-0", name])) });
      const { missing } = wanted({ target: listing(pods(["db-0"])), source: before, ...set({}) });
      deepEqual(missing, { [`shop/${name}-west`]: written });
    });

  it("stays unchanged: the headless mirror leads to it with the pod's own ports", () => {
    deepEqual(planned({ target: without, source }).changes, []);
    const root = mirrorAt("shop/db-west", wanted({ target: without, source }));
    deepEqual(
      root.endpoints?.subsets.map(({ ports }) => ports),
      [podPorts, admin],
    );
  });

  it("stays with the ports that it had among several pods", async () => {
    const several = listing(pods(["db-0"]), pods(["db-1", "db-2"], [], admin));
    const root = mirrorAt(
      "shop/db-west",
      wanted({ target: listing(pods(["db-0"])), source: await reconciled({ target: several }) }),
    );
    deepEqual(
      root.endpoints?.subsets.map(({ ports }) => ports),
      [podPorts, admin, admin],
    );
  });

  it("has the other pods' ports if the headless mirror lost it", () => {
    const forgetful = { ...source, endpoints: new Map() };
    const root = mirrorAt("shop/db-west", wanted({ target: without, source: forgetful }));
    deepEqual(
      root.endpoints?.subsets.map(({ ports }) => ports),
      [podPorts, podPorts],
    );
  });
});

describe("the pods that are missing from a link's Endpoints", () => {
  const foreign = { ...mirrored, "mirror.linkerd.io/cluster-name": "north" };
  const ours = { ...mirrored, "mirror.linkerd.io/cluster-name": "west" };
  const root = { "mirror.linkerd.io/headless-mirror-svc-name": "db-west" };
  const others = {
    "the mirror of another cluster's pod": service("shop/db-9-west", {
      labels: { ...foreign, ...root },
    }),
    "a mirror that is no pod's": service("shop/api-west", { labels: ours }),
    "a mirror that no name of the link fits": service("shop/db-9", {
      labels: { ...ours, ...root },
    }),
    "the mirror of a Service that is gone": service("shop/db-9-west", {
      labels: { ...ours, "mirror.linkerd.io/headless-mirror-svc-name": "gone-west" },
    }),
  };
  for (const [what, other] of Object.entries(others))
    it(`exclude ${what}`, () => {
      const services = new Map([...source.services, [keyOf(other), other] as const]);
      const absent = absentPods(link(), { ...source, services }, without);
      deepEqual([...absent], [["shop/db", ["db-2"]]]);
    });

  it("include all of a Service without Endpoints", () => {
    const absent = absentPods(link(), source, west([db]));
    deepEqual([...absent], [["shop/db", ["db-0", "db-1", "db-2"]]]);
  });
});

describe("a headless mirror whose pods are missing", () => {
  const unnamed = listing(pods([""]));

  it("stays headless as long as a pod's mirror stays, even if only unnamed pods are listed", () => {
    deepEqual(planned({ target: unnamed, source }).changes, []);
  });
});
