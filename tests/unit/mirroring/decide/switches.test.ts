import assert from "node:assert/strict";
import type { Endpoints, Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { edited, withAnnotations } from "../../fixtures/edited.ts";
import {
  cluster,
  endpoints,
  exported,
  headless,
  http,
  later,
  pods,
} from "../../fixtures/objects.ts";
import { actions, fieldChanges, planned, reconciled } from "../../fixtures/reconcile.ts";
import { shape } from "../../fixtures/shape.ts";

const empty = cluster("east", { namespaces: ["shop"] });

/** Everything that the Service `shop/web` of west can be mirrored as. */
const shapes = {
  gateway: west([exported("shop/web")]),
  discovery: west([
    exported("shop/web", { labels: { "mirror.linkerd.io/exported": "remote-discovery" } }),
  ]),
  headless: west([headless("shop/web")], [endpoints("shop/web", [pods(["web-0", "web-1"])])]),
  "headless without names": west([headless("shop/web")], [endpoints("shop/web", [pods(["", ""])])]),
  nothing: west([]),
} as const;

function west(services: Service[], objects: Endpoints[] = []): ClusterSnapshot {
  return cluster("west", { services, endpoints: objects });
}

/** Pods that the run before has missed too: where there is no StatefulSet, a mirror outlasts one. */

type Shape = keyof typeof shapes;

const pairs: [from: Shape, to: Shape, changes: string[]][] = [
  ["gateway", "discovery", ["update discovery shop/web-west"]],
  ["discovery", "gateway", ["update gateway shop/web-west"]],
  ["gateway", "headless without names", []],
  [
    "gateway",
    "headless",
    [
      "create endpoint shop/web-0-west",
      "create endpoint shop/web-1-west",
      "replace headless shop/web-west",
    ],
  ],
  [
    "headless",
    "gateway",
    [
      "delete endpoint shop/web-0-west",
      "delete endpoint shop/web-1-west",
      "replace gateway shop/web-west",
    ],
  ],
  [
    "headless",
    "discovery",
    [
      "delete endpoint shop/web-0-west",
      "delete endpoint shop/web-1-west",
      "replace discovery shop/web-west",
    ],
  ],
  [
    "discovery",
    "headless",
    [
      "create endpoint shop/web-0-west",
      "create endpoint shop/web-1-west",
      "replace headless shop/web-west",
    ],
  ],
  [
    "headless",
    "headless without names",
    [
      "delete endpoint shop/web-0-west",
      "delete endpoint shop/web-1-west",
      "replace gateway shop/web-west",
    ],
  ],
  ["nothing", "discovery", ["create discovery shop/web-west"]],
  ["discovery", "nothing", ["delete discovery shop/web-west"]],
  ["nothing", "headless without names", ["create gateway shop/web-west"]],
];

describe("a Service that is exported in another way (linkerd-behaviour.md 2.16, 3.5)", () => {
  for (const [from, to, changes] of pairs)
    it(`${from} to ${to} takes these changes: ${changes.join(", ") || "none"}`, () => {
      const source = reconciled({ target: shapes[from], source: empty });
      assert.deepEqual(actions(planned({ target: shapes[to], source, now: later })), changes);
    });

  for (const from of Object.keys(shapes) as Shape[])
    for (const to of Object.keys(shapes) as Shape[])
      it(`${from} to ${to} ends as if it had never been different`, () => {
        const target = shapes[to];
        const before = reconciled({ target: shapes[from], source: empty });
        const after = reconciled({ target, source: before, now: later });
        assert.deepEqual(shape(after), shape(reconciled({ target, source: empty })));
        assert.deepEqual(planned({ target, source: after }).changes, []);
      });

  it("changes its labels and Endpoints and keeps its address, as long as it has one", () => {
    const source = reconciled({ target: shapes.gateway, source: empty });
    const plan = planned({ target: shapes.discovery, source });
    assert.deepEqual(
      fieldChanges(plan).map(({ field, wanted }) => `${field} ${wanted}`),
      [
        'label multicluster.linkerd.io/remote-discovery "west"',
        'label multicluster.linkerd.io/remote-service "web"',
        "endpoints no object",
      ],
    );
    const after = reconciled({ target: shapes.discovery, source });
    assert.equal(after.services.get("shop/web-west")?.spec.clusterIP, "10.96.0.1");
  });
});

describe("a mirror that Linkerd's own controller made", () => {
  const opaque = { "config.linkerd.io/opaque-ports": "3306" };
  const target = west(
    [headless("shop/web", { annotations: opaque })],
    [endpoints("shop/web", [pods(["web-0"])])],
  );
  const ours = reconciled({ target, source: empty });

  it("is left alone, whatever the resource version that it was made from", () => {
    const old = withAnnotations({ "mirror.linkerd.io/remote-resource-version": "past" });
    const theirs = edited(edited(ours, "shop/web-west", { service: old }), "shop/web-0-west", {
      service: old,
    });
    assert.deepEqual(planned({ target, source: theirs }).changes, []);
  });

  it("[Q] gets the opaque ports that the controller leaves off a pod's mirror, and nothing else", () => {
    const theirs = edited(ours, "shop/web-0-west", {
      service: withAnnotations({ "config.linkerd.io/opaque-ports": undefined }),
    });
    const plan = planned({ target, source: theirs });
    assert.deepEqual(actions(plan), ["update endpoint shop/web-0-west"]);
    assert.deepEqual(fieldChanges(plan), [
      { field: "annotation config.linkerd.io/opaque-ports", live: "none", wanted: '"3306"' },
    ]);
  });

  it("gets the application protocols that the controller leaves off", () => {
    const ports = [{ ...http, appProtocol: "kubernetes.io/h2c" }];
    const speaking = west([exported("shop/web", {}, { ports })], []);
    const theirs = reconciled({ target: west([exported("shop/web")], []), source: empty });
    assert.deepEqual(fieldChanges(planned({ target: speaking, source: theirs })), [
      { field: "ports", live: "http 80→8080/TCP", wanted: "http 80→8080/TCP as kubernetes.io/h2c" },
    ]);
  });
});
