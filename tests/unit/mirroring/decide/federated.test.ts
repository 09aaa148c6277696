import assert from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { byUs, edited, withAnnotations, withLabels, withSpec } from "../../fixtures/edited.ts";
import { fed, federated, listed, member, plannedFederation } from "../../fixtures/federation.ts";
import { cluster, endpoints, pods, service } from "../../fixtures/objects.ts";
import { actions, fieldChanges, skipped } from "../../fixtures/reconcile.ts";

const key = "demo/bb-federated";
const bb = member("demo/bb");
const targets = {
  east: cluster("east", { services: [bb] }),
  north: cluster("north", { services: [bb] }),
};
const settled = federated({ targets });
const remoteMembers = "annotation multicluster.linkerd.io/remote-discovery";

describe("a plan for federated Services", () => {
  it("is empty where all is as it should be", () => {
    assert.deepEqual(plannedFederation({ source: settled, targets }).changes, []);
  });

  it("says in a line whom a federated Service unites", () => {
    const services = new Map([...settled.services, ["demo/bb", bb] as const]);
    const source = { ...settled, services };
    assert.deepEqual(plannedFederation({ source, targets }).mirrors, {
      [key]: "federated Service of bb@east, bb@north, local bb: http 80→8080/TCP",
    });
  });

  it("says of a member that leaves nothing but that", () => {
    const gone = { ...targets, north: cluster("north", { services: [service("demo/bb")] }) };
    const plan = plannedFederation({ source: settled, targets: gone });
    assert.deepEqual(actions(plan), [`update federated ${key}`]);
    assert.deepEqual(fieldChanges(plan), [
      { field: remoteMembers, live: '"bb@east,bb@north"', wanted: '"bb@east"' },
    ]);
  });

  it("deletes a federated Service with its last member", () => {
    const gone = { east: cluster("east"), north: cluster("north") };
    const plan = plannedFederation({ source: settled, targets: gone });
    assert.deepEqual(actions(plan), [`delete federated ${key}`]);
  });

  const edits: [what: string, edit: (service: Service) => Service | undefined][] = [
    ["a list of members that somebody changed", changed({ "remote-discovery": "bb@east" })],
    ["a local member that is none", changed({ "local-discovery": "bb" })],
    ["a label that no member has any more", byUs(withLabels({ app: "bb" }))],
    ["ports", withSpec({ ports: [{ port: 1 }] })],
    ["a selector", withSpec({ selector: { app: "bb" } })],
    ["a type", withSpec({ type: "NodePort" })],
    ["its disappearance", () => undefined],
  ];
  for (const [what, edit] of edits)
    it(`puts right ${what}`, () => {
      const source = edited(settled, key, { service: edit });
      assert.equal(plannedFederation({ source, targets }).changes.length, 1);
      const { clusterIP, ...spec } = federated({ source, targets }).services.get(key)?.spec ?? {};
      const { clusterIP: _, ...before } = settled.services.get(key)?.spec ?? {};
      assert.deepEqual(withoutUndefined(spec), withoutUndefined(before));
      assert.equal(listed("demo/bb", federated({ source, targets })), "bb@east,bb@north");
    });

  it("leaves a label that its links exclude, as admission gives it in our name", () => {
    const admitted = edited(settled, key, { service: byUs(withLabels({ tier: "silver" })) });
    const excluding = { excludedLabels: ["tier"] };
    const links = { east: excluding, north: excluding };
    assert.deepEqual(plannedFederation({ source: admitted, targets, links }).changes, []);
    assert.deepEqual(
      fieldChanges(plannedFederation({ source: admitted, targets })).map(({ field }) => field),
      ["label tier"],
    );
  });

  it("puts right a selector even though Kubernetes has made Endpoints from it", () => {
    const labels = { "mirror.linkerd.io/mirrored-service": "true" };
    const source = {
      ...edited(settled, key, { service: withSpec({ selector: { app: "bb" } }) }),
      endpoints: new Map([[key, endpoints(key, [pods([""])], { labels })]] as const),
    };
    const plan = plannedFederation({ source, targets });
    assert.deepEqual([actions(plan), plan.skips], [[`update federated ${key}`], []]);
  });
});

describe("a Service called like a federated one", () => {
  const foreign: [what: string, service: Service][] = [
    ["somebody's own", service(key)],
    ["one with a list and without Linkerd's label", unlabelled(fed("demo/bb", { remote: "bb@x" }))],
    [
      "one with Linkerd's label and without a list",
      service(key, { labels: { "mirror.linkerd.io/mirrored-service": "true" } }),
    ],
    [
      "a mirror of some cluster",
      fed("demo/bb", { remote: "" }, { labels: { "mirror.linkerd.io/cluster-name": "federated" } }),
    ],
  ];
  for (const [what, object] of foreign)
    it(`is left alone: ${what}`, () => {
      const source = cluster("west", { services: [object] });
      const plan = plannedFederation({ source, targets });
      assert.deepEqual([plan.changes, plan.mirrors], [[], {}]);
      assert.deepEqual(skipped(plan), ["NotOurs demo/bb"]);
      assert.match(
        plan.skips[0]?.sentence ?? "",
        /^west already has .* Service demo\/bb-federated:/,
      );
      const nobody = { east: cluster("east"), north: cluster("north") };
      assert.deepEqual(plannedFederation({ source, targets: nobody }).changes, []);
    });

  it("is left alone where only Endpoints have the name", () => {
    const source = cluster("west", { endpoints: [endpoints(key)] });
    const plan = plannedFederation({ source, targets });
    assert.deepEqual(skipped(plan), ["NotOurs demo/bb"]);
  });

  it("is waited for while it is being deleted", () => {
    const going = fed("demo/bb", { remote: "bb@x" }, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    const source = cluster("west", { services: [going] });
    const plan = plannedFederation({ source, targets });
    assert.deepEqual([plan.changes, skipped(plan)], [[], ["BeingDeleted demo/bb"]]);
    assert.deepEqual(Object.keys(plan.mirrors), [key]);
  });

  it("has to be called so: one that looks federated under any other name is somebody's own", () => {
    const own = fed("demo/bb", { remote: "bb@east" });
    const renamed = { ...own, metadata: { ...own.metadata, name: "everywhere" } };
    const source = cluster("west", { services: [renamed] });
    const nobody = { east: cluster("east"), north: cluster("north") };
    assert.deepEqual(plannedFederation({ source, targets: nobody }).changes, []);
  });
});

function changed(annotations: Readonly<Record<string, string>>) {
  return withAnnotations(
    Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`multicluster.linkerd.io/${key}`, value]),
    ),
  )<Service>;
}

function unlabelled(service: Service): Service {
  return { ...service, metadata: { ...service.metadata, labels: {} } };
}

function withoutUndefined(map: object): object {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));
}
