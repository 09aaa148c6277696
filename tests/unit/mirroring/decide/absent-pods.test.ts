import assert from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type {
  Endpoints,
  ObjectKey,
  StatefulSet,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { absentPods } from "../../../../engine/mirroring/model/pods.ts";
import { link, mirrorAt, wanted } from "../../fixtures/link.ts";
import {
  cluster,
  endpoints,
  headless,
  later,
  podPorts,
  pods,
  written,
} from "../../fixtures/objects.ts";
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
  /** Pods that an earlier run has missed: since when. */
  readonly missing?: Readonly<Record<ObjectKey, string>>;
  readonly now?: Date;
  readonly target?: ReturnType<typeof west>;
  readonly link?: Partial<LinkSpec>;
  /** Pods that still have mirrors, beside `db-0` and `db-1`. */
  readonly stays: boolean;
  /** Since when the mirror waits for its pod. */
  readonly since?: string;
}

const without = west(pods(["db-0", "db-1"]));
const key = "shop/db-2-west" as const;
const longAgo = "2026-01-01T00:00:00Z";

const rows: Row[] = [
  {
    why: "its StatefulSet has it",
    statefulSets: [statefulSet("db", { replicas: 3 })],
    stays: true,
  },
  {
    why: "its StatefulSet has it, however long it is away",
    statefulSets: [statefulSet("db", { replicas: 3 })],
    missing: { [key]: longAgo },
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
    why: "its StatefulSet begins at its number and says nothing of replicas",
    statefulSets: [statefulSet("db", { ordinals: { start: 2 } })],
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
  { why: "no StatefulSet is to be seen, and not for long", stays: true, since: written },
  { why: "no StatefulSet is to be seen for long", now: later, stays: false },
  {
    why: "Endpoints are written often, and an earlier run has missed it",
    missing: { [key]: longAgo },
    stays: false,
  },
  {
    why: "an earlier run has missed it, and not for long",
    missing: { [key]: "2026-01-02T03:01:00Z" },
    stays: true,
    since: "2026-01-02T03:01:00Z",
  },
  {
    why: "another pod has been away for long",
    missing: { "shop/db-9-west": longAgo },
    stays: true,
    since: written,
  },
  {
    why: "nobody says when the Endpoints were written, however late it is",
    target: cluster("west", {
      services: [db],
      endpoints: [endpoints("shop/db", [pods(["db-0", "db-1"])], { managedFields: [] })],
    }),
    now: later,
    stays: true,
  },
  {
    why: "the StatefulSet is of another Service",
    statefulSets: [statefulSet("db", { replicas: 2, serviceName: "cache" })],
    stays: true,
    since: written,
  },
  {
    why: "the StatefulSet is in another namespace",
    statefulSets: [statefulSet("db", { replicas: 2 }, "blog")],
    stays: true,
    since: written,
  },
  {
    why: "the StatefulSet's pods have other names",
    statefulSets: [statefulSet("db-2", { replicas: 2 }), statefulSet("d", { replicas: 2 })],
    stays: true,
    since: written,
  },
  {
    why: "there are no Endpoints at all, however long",
    target: cluster("west", { services: [db] }),
    missing: { "shop/db-0-west": longAgo, "shop/db-1-west": longAgo, [key]: longAgo },
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
  for (const { why, stays, since, ...situation } of rows)
    it(`${stays ? "stays" : "goes"} where ${why}`, () => {
      const found = { target: without, source, ...situation };
      const { mirrors, missing } = wanted(found);
      const names = mirrors.map(({ name }) => name);
      const pods = ["db-0-west", "db-1-west", ...(stays ? ["db-2-west"] : [])];
      assert.deepEqual(names.toSorted(), [...pods, "db-west"].toSorted());
      assert.deepEqual(missing, since === undefined ? {} : { [key]: since });
      assert.equal(actions(planned(found)).includes("delete endpoint shop/db-2-west"), !stays);
    });

  for (const name of ["db-02", "db-2a", "db-a2", "db-"])
    it(`is judged by no StatefulSet that would not call it so: ${name}`, () => {
      const listing = (...names: string[]) => west(pods(names));
      const before = reconciled({
        target: listing("db-0", name),
        source: cluster("east", { namespaces: ["shop"] }),
      });
      const found = { target: listing("db-0"), source: before };
      const { missing } = wanted({ ...found, statefulSets: [statefulSet("db")] });
      assert.deepEqual(missing, { [`shop/${name}-west`]: written });
    });

  it("changes nothing while it stays: the headless mirror leads to it by the pod's own ports", () => {
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

  it("goes after a while without a StatefulSet, and its root leads to the others", () => {
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
    assert.deepEqual(wanted({ target: other, source }).missing, {});
    const north = cluster("north", { services: [db], endpoints: [endpoints("shop/db", [])] });
    assert.deepEqual(wanted({ target: north, source, link: { target: "north" } }).missing, {});
  });
});

describe("a headless mirror whose pods are away", () => {
  const unnamed = west(pods([""]));

  it("stays headless as long as a pod's mirror stays, though only unnamed pods are listed", () => {
    assert.deepEqual(actions(planned({ target: unnamed, source })), []);
    const statefulSets = [statefulSet("db", { replicas: 3 })];
    const found = { target: unnamed, source, statefulSets, now: later };
    assert.deepEqual(planned(found).changes, []);
  });

  it("gets an address once they are given up", () => {
    assert.deepEqual(actions(planned({ target: unnamed, source, now: later })), [
      "delete endpoint shop/db-0-west",
      "delete endpoint shop/db-1-west",
      "delete endpoint shop/db-2-west",
      "replace gateway shop/db-west",
    ]);
  });
});

describe("whether StatefulSets have to be read", () => {
  const asks = (target: ReturnType<typeof west>, overrides: Partial<LinkSpec> = {}) =>
    absentPods(link(overrides), source, target).size > 0;

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
