import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { itemsOf } from "../../../engine/kubernetes/client/answers.ts";
import { SharedValues } from "../../../engine/kubernetes/objects/shared-values.ts";
import { type Resource, resources } from "../../../engine/kubernetes/objects/resources.ts";

const meta = (name: string) => ({
  name,
  namespace: "shop",
  uid: `uid-${name}`,
  resourceVersion: "7",
  labels: { app: "web" },
  annotations: { note: name },
  creationTimestamp: "2026-01-01T00:00:00Z",
});
const entry = { manager: "m", operation: "Update", time: "2026-01-03T00:00:00Z" };
const managed = (more: object = {}) => {
  const labels = { "f:labels": { ".": {}, "f:app": {} } };
  return {
    managedFields: [{ ...entry, ...more, fieldsV1: { "f:metadata": { ...labels, ...more } } }],
  };
};

/** The program has no types for this. */
const padding = Array<object>(1_000).fill({});

function kept<T>(resource: Resource<T>, item: object, keep = new SharedValues()): T {
  const read = itemsOf(resource, [structuredClone(item)], keep);
  if (typeof read === "string" || read[0] === undefined) throw new Error(String(read));
  return read[0];
}

describe("a list in memory", () => {
  it("keeps the fields of a Service that its type has", () => {
    const port = { name: "http", port: 80, protocol: "TCP", targetPort: 8080 };
    const spec = { type: "LoadBalancer", clusterIP: "10.0.0.1", selector: { app: "web" } };
    const ingress = { ip: "192.0.2.1" };
    const service = {
      metadata: { ...meta("web"), ...managed({ subresource: "x" }), finalizers: ["hold"] },
      spec: { ...spec, ports: [{ ...port, padding }], ipFamilies: ["IPv4"] },
      status: {
        loadBalancer: { ingress: [{ ...ingress, ipMode: "VIP", ports: padding }] },
        conditions: padding,
      },
      padding,
    };
    const fieldsV1 = { "f:metadata": { "f:labels": { ".": true, "f:app": true } } };
    deepEqual(kept(resources.services, service), {
      metadata: { ...meta("web"), managedFields: [{ ...entry, fieldsV1 }] },
      spec: { ...spec, ports: [port] },
      status: { loadBalancer: { ingress: [ingress] } },
    });
  });

  it("keeps the fields of Endpoints and pods that their types have", () => {
    const pod = { targetRef: { kind: "Pod", name: "db-0" }, nodeName: "node-1" };
    const address = { ip: "10.1.0.1", hostname: "db-0" };
    const subsets = [{ addresses: [{ ...address, ...pod }], ports: [{ port: 80, padding }] }];
    deepEqual(kept(resources.endpoints, { metadata: meta("db"), subsets, padding }), {
      metadata: meta("db"),
      subsets: [{ addresses: [address], ports: [{ port: 80 }] }],
    });
    const proxy = { name: "linkerd-proxy", restartCount: 1 };
    const statuses = [{ ...proxy, state: { running: { startedAt: "2026" } }, padding }];
    const status = { phase: "Running", initContainerStatuses: statuses };
    deepEqual(kept(resources.pods, { metadata: meta("db-0"), status }).status, {
      phase: "Running",
      initContainerStatuses: [{ ...proxy, state: { running: { startedAt: "2026" } } }],
    });
  });

  it("adds no fields that the object lacks", () => {
    const least = { metadata: { name: "web", namespace: "shop" }, spec: {} };
    deepEqual(kept(resources.services, least), least);
  });

  it("holds and counts a value once that objects of one list or several share", () => {
    const keep = new SharedValues();
    const item = (name: string) => ({ metadata: { ...meta(name), ...managed() }, spec: {} });
    const one = kept(resources.services, item("a"), keep).metadata;
    const first = keep.bytes;
    const other = kept(resources.services, item("b"), keep).metadata;
    equal(one.labels, other.labels);
    equal(one.labels, kept(resources.endpoints, item("b"), keep).metadata.labels);
    equal(one.managedFields?.[0]?.fieldsV1, other.managedFields?.[0]?.fieldsV1);
    notEqual(one.managedFields?.[0]?.fieldsV1, undefined);
    equal(other.name, "b");
    ok(keep.bytes < 3 * first);
  });

  it("counts what it keeps, not what was received", () => {
    const counted = (item: object) => {
      const keep = new SharedValues();
      kept(resources.services, item, keep);
      return keep.bytes;
    };
    const least = { metadata: meta("web"), spec: {} };
    equal(counted({ ...least, padding, spec: { padding } }), counted(least));
    const annotations = { note: "x".repeat(10_000) };
    ok(counted({ ...least, metadata: { ...meta("web"), annotations } }) > 10_000);
  });
});
