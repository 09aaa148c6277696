import { deepEqual, equal, notEqual } from "node:assert/strict";
import {
  type Endpoints,
  malformed,
  type ObjectMeta,
  type Service,
} from "../../../../engine/kubernetes/objects.ts";
import { label } from "../../../../engine/mirroring/model/vocabulary.ts";
import { Kept } from "../../../../engine/mirroring/observe/kept.ts";

const time = "2026-01-03T00:00:00Z";
const marked = { [label.mirrored]: "true", [label.cluster]: "west" };

function meta(name: string, labels: Readonly<Record<string, string>>): ObjectMeta {
  const fieldsV1 = { "f:metadata": { "f:labels": { ".": {}, [`f:${label.mirrored}`]: {} } } };
  const entry = {
    manager: `linkerd-multicluster/mesh/${name}`,
    operation: "Update",
    time,
    fieldsV1,
  };
  return {
    ...{ name, namespace: "shop", labels, managedFields: [entry] },
    ...{ uid: `uid-${name}`, resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" },
    ...{ annotations: { note: name }, deletionTimestamp: "2026-01-02T00:00:00Z" },
  };
}

const ports = () => [{ name: "http", port: 80, protocol: "TCP", targetPort: 8080 }];

/** As an API server lists it: with more than this program has types for. */
function service(name: string, labels: Readonly<Record<string, string>>): Service {
  const more = { ipFamilies: ["IPv4"], sessionAffinity: "None" };
  return {
    metadata: { ...meta(name, labels), ...{ finalizers: ["example.com/hold"] } },
    spec: {
      ...more,
      type: "LoadBalancer",
      clusterIP: "10.0.0.1",
      selector: { app: name },
      ports: ports(),
    },
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
  };
}

function endpoints(name: string, labels: Readonly<Record<string, string>>): Endpoints {
  const pod = { targetRef: { kind: "Pod", name: "db-0" }, nodeName: "node-1" };
  return {
    metadata: meta(name, labels),
    subsets: [
      {
        addresses: [{ ip: "10.1.0.1", hostname: "db-0", ...pod }],
        notReadyAddresses: [{ ip: "10.1.0.2", ...pod }],
        ports: ports(),
      },
    ],
  };
}

describe("what a snapshot keeps", () => {
  it("is all of a mirror, which an update has to send back", () => {
    const kept = new Kept();
    deepEqual(kept.service(service("web-west", marked)), service("web-west", marked));
    deepEqual(kept.endpoints(endpoints("web-west", marked)), endpoints("web-west", marked));
    const other = { [label.mirrored]: "no" };
    deepEqual(kept.service(service("web", other)), service("web", other));
  });

  it("is of other objects what mirroring reads", () => {
    const kept = new Kept();
    const { managedFields: _, ...metadata } = meta("web", { app: "web" });
    const { type, clusterIP, selector } = service("web", {}).spec;
    deepEqual(kept.service(service("web", { app: "web" })), {
      metadata,
      spec: { type, clusterIP, selector, ports: ports() },
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
    });
    deepEqual(kept.endpoints(endpoints("web", { app: "web" })), {
      metadata: { ...metadata, managedFields: [{ time }] },
      subsets: [
        {
          addresses: [{ ip: "10.1.0.1", hostname: "db-0" }],
          notReadyAddresses: [{ ip: "10.1.0.2" }],
          ports: ports(),
        },
      ],
    });
  });

  it("has no fields that the object has not", () => {
    const least = { metadata: { name: "web", namespace: "shop" } };
    const kept = new Kept();
    deepEqual(kept.service({ ...least, spec: {} }), { ...least, spec: {} });
    deepEqual(kept.endpoints(least), least);
    deepEqual(kept.endpoints({ ...least, subsets: [{}] }), { ...least, subsets: [{}] });
  });

  it("says of a malformed object still that it is malformed", () => {
    const least = { metadata: { name: "web", namespace: "shop" }, [malformed]: "no spec" };
    const kept = new Kept();
    equal(kept.service({ ...least, spec: {} })[malformed], "no spec");
    equal(kept.endpoints(least)[malformed], "no spec");
  });

  it("has values once that mirrors have in common, each under its own name", () => {
    const kept = new Kept();
    const [one, other] = ["a", "b"].map((name) => kept.service(service(name, marked)));
    const fieldsOf = (each?: Service) => each?.metadata.managedFields?.[0]?.fieldsV1;
    equal(fieldsOf(one), fieldsOf(other));
    notEqual(fieldsOf(one), undefined);
    equal(one?.metadata.labels, other?.metadata.labels);
    equal(one?.spec.ports, other?.spec.ports);
    deepEqual(other, service("b", marked));
    const [first, second] = ["a", "b"].map((name) => kept.endpoints(endpoints(name, marked)));
    equal(first?.subsets, second?.subsets);
  });

  it("can be nested deeper than it can be compared", () => {
    let fieldsV1: unknown = {};
    for (let depth = 0; depth < 20_000; depth++) fieldsV1 = { "f:metadata": fieldsV1 };
    const mirror = service("web-west", marked);
    const metadata = { ...mirror.metadata, managedFields: [{ manager: "m", fieldsV1 }] };
    const { managedFields } = new Kept().service({ ...mirror, metadata }).metadata;
    equal(managedFields?.[0]?.fieldsV1, fieldsV1);
  });
});
