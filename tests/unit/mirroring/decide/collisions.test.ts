import assert from "node:assert/strict";
import type { NameClaim } from "../../../../engine/mirroring/decide/policies/collisions.ts";
import { plan, type WantedPart } from "../../../../engine/mirroring/decide/compare.ts";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { wanted } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, pods } from "../../fixtures/objects.ts";
import {
  actions,
  partOf,
  planned,
  type Planned,
  reconciled,
  skipped,
} from "../../fixtures/reconcile.ts";

const empty = cluster("east", { namespaces: ["shop"] });

/** Two links into `east` whose mirrors `shop/a-b-c` would have the same name. */
const ofC = {
  link: { target: "c" } satisfies Partial<LinkSpec>,
  target: cluster("c", { services: [exported("shop/a-b"), exported("shop/fine")] }),
};
const ofBC = {
  link: { target: "b-c" } satisfies Partial<LinkSpec>,
  target: cluster("b-c", { services: [exported("shop/a")] }),
};

function claims(situation: {
  readonly link: { readonly target: string };
  readonly target: ClusterSnapshot;
}): NameClaim[] {
  return wanted(situation).mirrors.map((mirror) => ({ part: situation.link.target, mirror }));
}

/** The names of mirrors that are not made, and why. */
function told({ skips }: Pick<Planned, "skips">): string[] {
  return skips.map(({ origin, reason, sentence }) => `${reason} ${origin}: ${sentence}`);
}

describe("a name that mirrors of two links would have", () => {
  const encroaching =
    "CollidingName shop/a-b: shop/a-b of cluster c would be named shop/a-b-c on east, and names that end in -b-c are for the mirrors of cluster b-c: rename it";

  it("is that of the cluster with the longer name, and the other is told why", () => {
    const first = planned({ ...ofC, source: empty, others: claims(ofBC) });
    const second = planned({ ...ofBC, source: empty, others: claims(ofC) });
    assert.deepEqual(
      [actions(first), told(first)],
      [["create gateway shop/fine-c"], [encroaching]],
    );
    assert.deepEqual([actions(second), told(second)], [["create gateway shop/a-b-c"], []]);
  });

  it("is given to nobody else where that cluster exports no such Service, or is away", () => {
    const targets = ["c", "b-c"];
    const part = { part: "c", ...wanted({ ...ofC, source: empty }) };
    assert.deepEqual(told(onlyPlan([part], targets)), [encroaching]);
    assert.deepEqual(told(onlyPlan([part], ["c", "x-b-c", "ab-c"])), []);
  });

  it("stays with a mirror that has it, which is kept up to date, and both are named", () => {
    const source = reconciled({ ...ofC, source: empty });
    const holder = { ...ofC, source, others: claims(ofBC) };
    assert.deepEqual([actions(planned(holder)), skipped(planned(holder))], [[], []]);
    const changed = cluster("c", {
      services: [exported("shop/a-b", { labels: { app: "new" } }), exported("shop/fine")],
    });
    assert.deepEqual(actions(planned({ ...holder, target: changed })), [
      "update gateway shop/a-b-c",
    ]);
    const other = planned({ ...ofBC, source, others: claims(ofC) });
    assert.deepEqual(
      [actions(other), told(other)],
      [
        [],
        [
          "CollidingName shop/a: shop/a of cluster b-c and shop/a-b of cluster c would both be named shop/a-b-c on east: rename one of them",
        ],
      ],
    );
  });

  it("goes to the rightful one once the first has given it up", () => {
    const source = reconciled({ ...ofC, source: empty });
    const withdrawn = { ...ofC, target: cluster("c", { services: [exported("shop/fine")] }) };
    const released = reconciled({ ...withdrawn, source });
    const plan = planned({ ...ofBC, source: released, others: claims(withdrawn) });
    assert.deepEqual(actions(plan), ["create gateway shop/a-b-c"]);
  });

  it("is no matter in different namespaces", () => {
    const source = reconciled({ ...ofC, source: empty });
    const elsewhere = { ...ofBC, target: cluster("b-c", { services: [exported("blog/a")] }) };
    const blog = cluster("east", {
      namespaces: ["shop", "blog"],
      services: [...source.services.values()],
    });
    const plan = planned({ ...elsewhere, source: blog, others: claims(ofC) });
    assert.deepEqual(skipped(plan), []);
  });

  it("may be wanted by more than two, of which two are of one cluster", () => {
    const pod = {
      link: { target: "b-c" },
      target: cluster("b-c", {
        services: [headless("shop/db"), exported("shop/a")],
        endpoints: [endpoints("shop/db", [pods(["a"])])],
      }),
    };
    const plan = planned({ ...pod, source: empty, others: claims(ofC) });
    assert.deepEqual(skipped(plan), ["CollidingName shop/a", "CollidingName shop/db pod a"]);
    const source = reconciled({ ...ofC, source: empty });
    const held = planned({ ...ofC, source, others: claims(pod) });
    assert.deepEqual([actions(held), held.skips], [[], []]);
    const other = planned({ ...pod, source, others: claims(ofC) });
    assert.deepEqual(
      other.skips.map((skip) => skip.sentence),
      Array.from(
        { length: 2 },
        () =>
          "pod a of shop/db of cluster b-c and shop/a of cluster b-c and shop/a-b of cluster c would all be named shop/a-b-c on east: rename one of them",
      ),
    );
  });
});

function onlyPlan([only, ...rest]: readonly WantedPart[], targets: readonly string[]): Planned {
  assert.ok(only !== undefined && rest.length === 0);
  return partOf(plan([only], empty, targets), only.part, empty);
}

describe("a name that a pod's and a Service's mirror would have", () => {
  const db = headless("shop/db");
  const dbPods = endpoints("shop/db", [pods(["db-0", "db-1"])]);
  const both = cluster("west", { services: [db, exported("shop/db-0")], endpoints: [dbPods] });
  const podOnly = cluster("west", { services: [db], endpoints: [dbPods] });
  const serviceOnly = cluster("west", { services: [exported("shop/db-0")] });
  const sentence =
    "pod db-0 of shop/db of cluster west and shop/db-0 of cluster west would both be named shop/db-0-west on east: rename one of them";

  it("goes to neither, and the other pods are mirrored", () => {
    const plan = planned({ target: both, source: empty });
    assert.deepEqual(actions(plan), [
      "create endpoint shop/db-1-west",
      "create headless shop/db-west",
    ]);
    assert.deepEqual(plan.skips, [
      {
        origin: "shop/db",
        hostname: "db-0",
        mirror: "db-0-west",
        reason: "CollidingName",
        sentence,
      },
      { origin: "shop/db-0", mirror: "db-0-west", reason: "CollidingName", sentence },
    ]);
    assert.deepEqual(hosts(reconciled({ target: both, source: empty })), ["db-1"]);
  });

  it("stays with the pod that has it", () => {
    const source = reconciled({ target: podOnly, source: empty });
    const plan = planned({ target: both, source });
    assert.deepEqual([actions(plan), skipped(plan)], [[], ["CollidingName shop/db-0"]]);
  });

  it("stays with the Service that has it", () => {
    const source = reconciled({ target: serviceOnly, source: empty });
    const plan = planned({ target: both, source });
    assert.deepEqual(skipped(plan), ["CollidingName shop/db pod db-0"]);
    const after = reconciled({ target: both, source });
    assert.deepEqual(after.services.get("shop/db-0-west"), source.services.get("shop/db-0-west"));
    assert.deepEqual(hosts(after), ["db-1"]);
  });

  it("goes over from one to the other in one run, once nobody else wants it", () => {
    const source = reconciled({ target: serviceOnly, source: empty });
    const plan = planned({ target: podOnly, source });
    assert.deepEqual(actions(plan), [
      "update endpoint shop/db-0-west",
      "create endpoint shop/db-1-west",
      "create headless shop/db-west",
    ]);
    assert.deepEqual(hosts(reconciled({ target: podOnly, source })), ["db-0", "db-1"]);
  });

  it("goes to neither of two headless Services with a pod of that name", () => {
    const target = cluster("west", {
      services: [db, headless("shop/copy")],
      endpoints: [dbPods, endpoints("shop/copy", [pods(["db-0"])])],
    });
    assert.deepEqual(skipped(planned({ target, source: empty })), [
      "CollidingName shop/copy pod db-0",
      "CollidingName shop/db pod db-0",
    ]);
  });
});

/** The pods that the headless mirror of `db` leads to. */
function hosts(source: ClusterSnapshot): (string | undefined)[] {
  const subsets = source.endpoints.get("shop/db-west")?.subsets ?? [];
  return subsets.flatMap(({ addresses = [] }) => addresses.map(({ hostname }) => hostname));
}
