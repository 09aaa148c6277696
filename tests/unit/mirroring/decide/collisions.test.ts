import { deepEqual, equal, match } from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import { compareAll, type WantedPart } from "../../../../engine/mirroring/decide/compare.ts";
import { federatedPart } from "../../../../engine/model/owner.ts";
import type { ClusterSnapshot } from "../../../../engine/model/snapshot.ts";
import { carryOut } from "../../fixtures/carry-out.ts";
import { federationOf } from "../../fixtures/federation.ts";
import { cluster, endpoints, exported, headless, member, pods } from "../../fixtures/objects.ts";
import { wanted, west } from "../../fixtures/link.ts";
import {
  actions,
  partOf,
  planned,
  type Planned,
  reconciled,
  skipped,
  told,
} from "../../fixtures/reconcile.ts";

const empty = cluster("east", { namespaces: ["shop", "blog"] });

/** Returns the mirrors that a link into `east` wants for these Services. */
function ofTarget(target: string, ...keys: ObjectKey[]): WantedPart {
  const services = keys.map((key) => exported(key));
  const asked = wanted({ link: { target }, target: cluster(target, { services }), source: empty });
  return { part: target, ...asked };
}

/** The decisions about each of the parts. */
function plansOf(parts: readonly WantedPart[], source = empty, more: string[] = []): Planned[] {
  const decisions = compareAll(parts, source, [...parts.map(({ part }) => part), ...more]);
  return parts.map(({ part }) => partOf(decisions, part, source));
}

function after(parts: readonly WantedPart[], source = empty): ClusterSnapshot {
  return carryOut(
    plansOf(parts, source).flatMap(({ decisions }) => decisions),
    source,
  );
}

const encroaching =
  "CollidingName shop/a-b: shop/a-b of cluster c would be named shop/a-b-c on east, and names that end in -b-c are for the mirrors of cluster b-c: rename it";

describe("a name that mirrors of two clusters claim", () => {
  const [ofC, ofBC] = [ofTarget("c", "shop/a-b", "shop/fine"), ofTarget("b-c", "shop/a")];

  it("belongs to the cluster with the longer name, and the other gets a reason", () => {
    const [first, second] = plansOf([ofC, ofBC]).map((one) => [actions(one), told(one)]);
    deepEqual(first, [["create gateway shop/fine-c"], [encroaching]]);
    deepEqual(second, [["create gateway shop/a-b-c"], []]);
  });

  it("stays reserved for that cluster if it exports no such Service or is unreachable", () => {
    deepEqual(plansOf([ofC], empty, ["b-c"]).flatMap(told), [encroaching]);
    deepEqual(plansOf([ofC], empty, ["x-b-c", "ab-c"]).flatMap(told), []);
  });

  it("stays with the mirror that has it, and the message names both", () => {
    const source = after([ofC]);
    const relabelled = ofC.mirrors.map((mirror) => ({
      ...mirror,
      labels: { ...mirror.labels, new: "" },
    }));
    const [holder, other] = plansOf([{ ...ofC, mirrors: relabelled.slice(0, 1) }, ofBC], source);
    deepEqual(holder && [actions(holder)[0], skipped(holder)], ["update gateway shop/a-b-c", []]);
    deepEqual(other && [actions(other), told(other)], [
      [],
      [
        "CollidingName shop/a: shop/a of cluster b-c and shop/a-b of cluster c would both be named shop/a-b-c on east: rename one of them",
      ],
    ]);
  });

  it("doesn't collide across namespaces", () => {
    deepEqual(plansOf([ofC, ofTarget("b-c", "blog/a")], after([ofC])).flatMap(skipped), []);
  });

  it("may have more than two claims, two of them from one cluster", () => {
    const services = [headless("shop/db"), exported("shop/a")];
    const target = cluster("b-c", { services, endpoints: [endpoints("shop/db", [pods(["a"])])] });
    const both = { part: "b-c", ...wanted({ link: { target: "b-c" }, target, source: empty }) };
    deepEqual(plansOf([both, ofC]).flatMap(skipped)[0], "CollidingName shop/a");
    const [other, holder] = plansOf([both, ofC], after([ofC]));
    deepEqual(holder && [actions(holder), holder.skips], [[], []]);
    deepEqual(
      new Set(other?.skips.map(({ sentence }) => sentence)),
      new Set([
        "pod a of shop/db of cluster b-c and shop/a of cluster b-c and shop/a-b of cluster c would all be named shop/a-b-c on east: rename one of them",
      ]),
    );
  });

  const claimants = [
    ofTarget("d", "shop/a-b-c", "shop/fine"),
    ofTarget("c-d", "shop/a-b"),
    ofTarget("b-c-d", "shop/a"),
  ];
  it("belongs to the longest of three", () => {
    const whose = "would be named shop/a-b-c-d on east, and names that end in -b-c-d are for the";
    const [first, second, third] = plansOf(claimants).map(({ skips }) => skips[0]?.sentence ?? "");
    match(first ?? "", new RegExp(`^shop/a-b-c of cluster d ${whose}`));
    match(second ?? "", new RegExp(`^shop/a-b of cluster c-d ${whose}`));
    equal(third, "");
  });
});

/** No cluster may be called `federated`, but one may be `b-federated`, where `bb` is exported and `bb-b` a member. */
describe("a name that a mirror and a federated Service claim", () => {
  const targets = { west: west([member("shop/bb-b")]) };
  const union = { part: federatedPart, ...federationOf({ source: empty, targets }) };
  const mirror = ofTarget("b-federated", "shop/bb");

  it("belongs to the mirror, whose cluster has the longer name", () => {
    deepEqual(plansOf([mirror, union]).map(skipped), [[], ["CollidingName shop/bb-b"]]);
  });

  it("stays with the federated Service that has it, and the message says so", () => {
    const [plan, ofUnion] = plansOf([mirror, union], after([union]));
    match(plan?.skips[0]?.sentence ?? "", /b-federated and the federated Service of shop\/bb-b/);
    deepEqual(ofUnion?.skips, []);
  });
});

describe("a name that a pod's mirror and a Service's mirror claim", () => {
  const db = headless("shop/db");
  const dbPods = endpoints("shop/db", [pods(["db-0", "db-1"])]);
  const both = west([db, exported("shop/db-0")], [dbPods]);
  /** Returns the pods that the headless mirror of `db` names. */
  const hosts = ({ endpoints }: ClusterSnapshot) =>
    (endpoints.get("shop/db-west")?.subsets ?? []).flatMap(({ addresses = [] }) =>
      addresses.map(({ hostname }) => hostname),
    );

  it("goes to the pod, and the Service gets a reason that says what to set", () => {
    const plan = planned({ target: both });
    deepEqual(actions(plan), [
      "create endpoint shop/db-0-west",
      "create endpoint shop/db-1-west",
      "create headless shop/db-west",
    ]);
    deepEqual(told(plan), [
      "CollidingName shop/db-0: shop/db-0-west on east is the mirror of pod db-0 of shop/db of cluster west, so shop/db-0 of cluster west has none: to change that, or to end this message, take the Service shop/db-0 out of the export, by its label or the link's selector",
    ]);
    deepEqual(hosts(reconciled({ target: both })), ["db-0", "db-1"]);
  });

  it("stays with the Service that has it, and the headless mirror leaves the pod out", () => {
    const source = reconciled({ target: west([exported("shop/db-0")]) });
    const plan = planned({ target: both, source });
    deepEqual(told(plan), [
      "CollidingName shop/db: shop/db-0-west on east is the mirror of shop/db-0 of cluster west, so pod db-0 of shop/db of cluster west has none: to change that, or to end this message, take the Service shop/db-0 out of the export, by its label or the link's selector",
    ]);
    deepEqual(hosts(reconciled({ target: both, source })), ["db-1"]);
  });

  it("goes over to the pod once the Service is no longer exported", () => {
    const source = reconciled({ target: west([exported("shop/db-0")]) });
    const target = west([db], [dbPods]);
    deepEqual(actions(planned({ target, source })), [
      "update endpoint shop/db-0-west",
      "create endpoint shop/db-1-west",
      "create headless shop/db-west",
    ]);
    deepEqual(hosts(reconciled({ target, source })), ["db-0", "db-1"]);
  });

  it("goes to neither of two pods, nor to a pod of another namespace", () => {
    const pair = west(
      [db, headless("shop/other")],
      ["shop/db", "shop/other"].map((key) => endpoints(key as ObjectKey, [pods(["db-0"])])),
    );
    deepEqual(skipped(planned({ target: pair })), [
      "CollidingName shop/db pod db-0",
      "CollidingName shop/other pod db-0",
    ]);
    const mirrorNamespaces = { blog: "shop" };
    const target = west([db, exported("blog/db-0")], [dbPods]);
    deepEqual(skipped(planned({ target, link: { mirrorNamespaces } })), [
      "CollidingName blog/db-0",
      "CollidingName shop/db pod db-0",
    ]);
  });
});
