import assert from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { Endpoints, ObjectKey, StatefulSet } from "../../../../engine/kubernetes/objects.ts";
import { podsMissed } from "../../../../engine/mirroring/desired/absent-pods.ts";
import { link, mirrorAt, wanted } from "../../fixtures/link.ts";
import { cluster, endpoints, headless, podPorts, pods } from "../../fixtures/objects.ts";
import { actions, planned, reconciled, settled } from "../../fixtures/reconcile.ts";

const db = headless("shop/db");
const admin = [{ name: "admin", protocol: "TCP", port: 9090 }];
const full = west(pods(["db-0", "db-1"]), pods(["db-2"], [], admin));
const source = reconciled({ target: full, source: cluster("east", { namespaces: ["shop"] }) });

/** The target with its Endpoints in these subsets. */
function west(...subsets: NonNullable<Endpoints["subsets"]>) {
  return cluster("west", { services: [db], endpoints: [endpoints("shop/db", subsets)] });
}

function statefulSet(
  name: string,
  spec: StatefulSet["spec"] = {},
  namespace = "shop",
): StatefulSet {
  return { metadata: { namespace, name }, spec: { serviceName: "db", ...spec } };
}

interface Row {
  readonly why: string;
  readonly statefulSets?: readonly StatefulSet[];
  readonly missedBefore?: readonly ObjectKey[];
  readonly target?: ReturnType<typeof west>;
  readonly link?: Partial<LinkSpec>;
  /** Pods that still have mirrors, beside `db-0` and `db-1`. */
  readonly stays: boolean;
  readonly missed?: readonly ObjectKey[];
}

const without = west(pods(["db-0", "db-1"]));
const key = "shop/db-2-west" as const;

const rows: Row[] = [
  {
    why: "its StatefulSet has it",
    statefulSets: [statefulSet("db", { replicas: 3 })],
    stays: true,
  },
  {
    why: "its StatefulSet has it, however often it is missed",
    statefulSets: [statefulSet("db", { replicas: 3 })],
    missedBefore: [key],
    stays: true,
  },
  {
    why: "its StatefulSet has fewer pods by now",
    statefulSets: [statefulSet("db", { replicas: 2 })],
    stays: false,
  },
  {
    why: "its StatefulSet says nothing of replicas, which is one",
    statefulSets: [statefulSet("db")],
    stays: false,
  },
  {
    why: "its StatefulSet begins at its number",
    statefulSets: [statefulSet("db", { replicas: 1, ordinals: { start: 2 } })],
    stays: true,
  },
  {
    why: "its StatefulSet begins after its number",
    statefulSets: [statefulSet("db", { replicas: 9, ordinals: { start: 3 } })],
    stays: false,
  },
  {
    why: "one of two StatefulSets of that name pattern has it",
    statefulSets: [statefulSet("db", { replicas: 1 }), statefulSet("db", { replicas: 3 })],
    stays: true,
  },
  { why: "no StatefulSet is to be seen, for the first time", stays: true, missed: [key] },
  { why: "no StatefulSet is to be seen, for the second time", missedBefore: [key], stays: false },
  {
    why: "another pod was missed the last time",
    missedBefore: ["shop/db-9-west"],
    stays: true,
    missed: [key],
  },
  {
    why: "the StatefulSet is of another Service",
    statefulSets: [statefulSet("db", { replicas: 2, serviceName: "cache" })],
    stays: true,
    missed: [key],
  },
  {
    why: "the StatefulSet is in another namespace",
    statefulSets: [statefulSet("db", { replicas: 2 }, "blog")],
    stays: true,
    missed: [key],
  },
  {
    why: "the StatefulSet's pods have other names",
    statefulSets: [statefulSet("db-2", { replicas: 2 }), statefulSet("d", { replicas: 2 })],
    stays: true,
    missed: [key],
  },
  {
    why: "there are no Endpoints at all, however often",
    target: cluster("west", { services: [db] }),
    missedBefore: ["shop/db-0-west", "shop/db-1-west", key],
    stays: true,
  },
  {
    why: "the link follows readiness, as Linkerd does",
    statefulSets: [statefulSet("db", { replicas: 3 })],
    link: { readiness: "follow" },
    stays: false,
  },
];

describe("the mirror of a pod that is in no Endpoints", () => {
  for (const { why, stays, missed, missedBefore = [], ...situation } of rows)
    it(`${stays ? "stays" : "goes"} where ${why}`, () => {
      const now = { target: without, source, ...situation, missedBefore: new Set(missedBefore) };
      const { mirrors, missed: told } = wanted(now);
      const names = mirrors.map(({ name }) => name);
      const pods = ["db-0-west", "db-1-west", ...(stays ? ["db-2-west"] : [])];
      assert.deepEqual(names.toSorted(), [...pods, "db-west"].toSorted());
      assert.deepEqual(told, missed);
      assert.equal(actions(planned(now)).includes("delete endpoint shop/db-2-west"), !stays);
    });

  it("changes nothing while it stays: the headless mirror leads to it by the pod's own ports", () => {
    const { missed } = wanted({ target: without, source });
    assert.deepEqual(missed, [key]);
    assert.deepEqual(planned({ target: without, source }).changes, []);
    const root = mirrorAt("shop/db-west", wanted({ target: without, source }));
    const lead = root.endpoints?.subsets.find(({ addresses }) =>
      addresses.some((address) => "hostname" in address && address.hostname === "db-2"),
    );
    assert.deepEqual(lead?.ports, admin);
  });

  it("has the ports of the other pods where the headless mirror has lost it", () => {
    const forgetful = {
      ...source,
      endpoints: new Map([...source.endpoints].filter(([name]) => name !== "shop/db-west")),
    };
    const root = mirrorAt("shop/db-west", wanted({ target: without, source: forgetful }));
    assert.deepEqual(
      root.endpoints?.subsets.map(({ ports }) => ports),
      [podPorts, podPorts],
    );
  });

  it("goes after two runs without a StatefulSet, and its root leads to the others", () => {
    const after = settled({ target: without, source });
    assert.equal(after.services.has(key), false);
    const hosts = (after.endpoints.get("shop/db-west")?.subsets ?? []).flatMap(
      ({ addresses = [] }) => addresses.map(({ hostname }) => hostname),
    );
    assert.deepEqual(hosts, ["db-0", "db-1"]);
  });

  it("is no business of a pod of another Service or cluster", () => {
    const other = cluster("west", {
      services: [db, headless("shop/cache")],
      endpoints: [
        endpoints("shop/db", [pods(["db-0", "db-1", "db-2"])]),
        endpoints("shop/cache", [pods(["cache-0"])]),
      ],
    });
    assert.equal(wanted({ target: other, source }).missed, undefined);
    const north = cluster("north", { services: [db], endpoints: [endpoints("shop/db", [])] });
    assert.equal(wanted({ target: north, source, link: { target: "north" } }).missed, undefined);
  });
});

describe("a headless mirror whose pods are away", () => {
  const unnamed = west(pods([""]));

  it("stays headless as long as a pod's mirror stays, though only unnamed pods are listed", () => {
    assert.deepEqual(actions(planned({ target: unnamed, source })), []);
    const statefulSets = [statefulSet("db", { replicas: 3 })];
    const missedBefore = new Set(wanted({ target: unnamed, source }).missed);
    const now = { target: unnamed, source, statefulSets, missedBefore };
    assert.deepEqual(planned(now).changes, []);
  });

  it("gets an address once they are given up", () => {
    const missedBefore = new Set(wanted({ target: unnamed, source }).missed);
    assert.deepEqual(actions(planned({ target: unnamed, source, missedBefore })), [
      "delete endpoint shop/db-0-west",
      "delete endpoint shop/db-1-west",
      "delete endpoint shop/db-2-west",
      "replace gateway shop/db-west",
    ]);
  });
});

describe("whether StatefulSets have to be read", () => {
  const asks = (target: ReturnType<typeof west>, overrides: Partial<LinkSpec> = {}) =>
    podsMissed({ link: link(overrides), source, target });

  it("depends on whether a pod with a mirror is away", () => {
    assert.equal(asks(full), false);
    assert.equal(asks(west(pods(["db-0"], ["db-1", "db-2"]))), false);
    assert.equal(asks(without), true);
    assert.equal(asks(cluster("west", { services: [db] })), true);
  });

  it("never comes up without headless mirrors, or where readiness is followed", () => {
    assert.equal(asks(without, { headless: false }), false);
    assert.equal(asks(without, { readiness: "follow" }), false);
  });
});
