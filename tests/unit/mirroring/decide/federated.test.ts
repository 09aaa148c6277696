import { deepEqual, match } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { edited, withSpec } from "../../fixtures/edited.ts";
import { fed, federated, plannedFederation } from "../../fixtures/federation.ts";
import { cluster, endpoints, member, pods, service } from "../../fixtures/objects.ts";
import { actions, skipped } from "../../fixtures/reconcile.ts";

const key = "demo/bb-federated";
const bb = member("demo/bb");
const targets = {
  east: cluster("east", { services: [bb] }),
  north: cluster("north", { services: [bb] }),
};
const nobody = { east: cluster("east"), north: cluster("north") };
const settled = federated({ targets });

describe("a plan for federated Services", () => {
  it("is empty if nothing differs, and lists the members in one line", () => {
    const { changes, mirrors } = plannedFederation({ source: settled, targets });
    deepEqual(changes, []);
    deepEqual(mirrors, { [key]: "federated Service of bb@east, bb@north: http 80→8080/TCP" });
  });

  it("deletes a federated Service with its last member", () => {
    const plan = plannedFederation({ source: settled, targets: nobody });
    deepEqual(actions(plan), [`delete federated ${key}`]);
  });

  it("removes a selector even if Kubernetes created Endpoints from it", () => {
    const labels = { "mirror.linkerd.io/mirrored-service": "true" };
    const source = {
      ...edited(settled, key, { service: withSpec({ selector: { app: "bb" } }) }),
      endpoints: new Map([[key, endpoints(key, [pods([""])], { labels })]] as const),
    };
    const plan = plannedFederation({ source, targets });
    deepEqual([actions(plan), plan.skips], [[`update federated ${key}`], []]);
  });
});

describe("a Service with the name of a federated one", () => {
  const own = fed("demo/bb", { remote: "bb@x" });
  const foreign: Record<string, Service> = {
    "somebody's own": service(key),
    "one with a list and without Linkerd's label": {
      ...own,
      metadata: { ...own.metadata, labels: {} },
    },
    "one with Linkerd's label and without a list": service(key, {
      labels: { "mirror.linkerd.io/mirrored-service": "true" },
    }),
    "a mirror of some cluster": fed(
      "demo/bb",
      { remote: "" },
      { labels: { "mirror.linkerd.io/cluster-name": "federated" } },
    ),
  };
  for (const [what, object] of Object.entries(foreign))
    it(`is left alone: ${what}`, () => {
      const source = cluster("west", { services: [object] });
      const plan = plannedFederation({ source, targets });
      deepEqual([plan.changes, plan.mirrors], [[], {}]);
      deepEqual(skipped(plan), ["NotOurs demo/bb"]);
      match(plan.skips[0]?.sentence ?? "", /^west already has .* Service demo\/bb-federated:/);
      deepEqual(plannedFederation({ source, targets: nobody }).changes, []);
    });

  it("is left alone if only Endpoints have the name", () => {
    const source = cluster("west", { endpoints: [endpoints(key)] });
    deepEqual(skipped(plannedFederation({ source, targets })), ["NotOurs demo/bb"]);
  });

  it("is waited for while it is being deleted", () => {
    const going = fed("demo/bb", { remote: "bb@x" }, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    const plan = plannedFederation({ source: cluster("west", { services: [going] }), targets });
    deepEqual([plan.changes, skipped(plan)], [[], ["BeingDeleted demo/bb"]]);
    deepEqual(Object.keys(plan.mirrors), [key]);
  });

  it("must have that name: one that looks federated under another name is foreign", () => {
    const renamed = { ...own, metadata: { ...own.metadata, name: "everywhere" } };
    const source = cluster("west", { services: [renamed] });
    deepEqual(plannedFederation({ source, targets: nobody }).changes, []);
  });
});
