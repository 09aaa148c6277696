import { deepEqual, equal } from "node:assert/strict";
import { edited, withAnnotations } from "../../fixtures/edited.ts";
import { west } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, later, pods } from "../../fixtures/objects.ts";
import { actions, fieldChanges, planned, reconciled } from "../../fixtures/reconcile.ts";

const source = cluster("east", { namespaces: ["shop"] });
const key = "shop/web";

const shapes = {
  gateway: west([exported(key)]),
  discovery: west([
    exported(key, { labels: { "mirror.linkerd.io/exported": "remote-discovery" } }),
  ]),
  headless: west([headless(key)], [endpoints(key, [pods(["web-0", "web-1"])])]),
  "headless without names": west([headless(key)], [endpoints(key, [pods(["", ""])])]),
  nothing: west([]),
} as const;

type Shape = keyof typeof shapes;
const ofPods = (verb: string) =>
  ["web-0", "web-1"].map((pod) => `${verb} endpoint shop/${pod}-west`);

const pairs: [from: Shape, to: Shape, changes: string[]][] = [
  ["gateway", "discovery", ["update discovery shop/web-west"]],
  ["discovery", "gateway", ["update gateway shop/web-west"]],
  ["gateway", "headless without names", []],
  ["gateway", "headless", [...ofPods("create"), "replace headless shop/web-west"]],
  ["headless", "discovery", [...ofPods("delete"), "replace discovery shop/web-west"]],
  ["headless", "headless without names", [...ofPods("delete"), "replace gateway shop/web-west"]],
  ["discovery", "nothing", ["delete discovery shop/web-west"]],
];

describe("a Service whose export mode changes (linkerd-behaviour.md 2.16, 3.5)", () => {
  for (const [from, to, changes] of pairs)
    it(`${from} to ${to} takes these changes: ${changes.join(", ") || "none"}`, async () => {
      const before = await reconciled({ target: shapes[from], source });
      deepEqual(actions(planned({ target: shapes[to], source: before, now: later })), changes);
    });

  it("changes its mirror's labels and Endpoints, and keeps its address if it has one", async () => {
    const before = await reconciled({ target: shapes.gateway, source });
    deepEqual(
      fieldChanges(planned({ target: shapes.discovery, source: before })).map(
        ({ field, wanted }) => `${field} ${wanted}`,
      ),
      [
        'label multicluster.linkerd.io/remote-discovery "west"',
        'label multicluster.linkerd.io/remote-service "web"',
        "endpoints no object",
      ],
    );
    const after = await reconciled({ target: shapes.discovery, source: before });
    equal(after.services.get("shop/web-west")?.spec.clusterIP, "10.96.0.1");
  });
});

describe("a mirror that Linkerd's controller created", () => {
  const opaque = { "config.linkerd.io/opaque-ports": "3306" };
  const named = [endpoints(key, [pods(["web-0"])])];
  const target = west([headless(key, { annotations: opaque })], named);
  it("[Q] gets the opaque ports that the controller leaves off a pod's mirror, and nothing else", async () => {
    const ours = await reconciled({ target });
    const without = withAnnotations({ "config.linkerd.io/opaque-ports": undefined });
    const plan = planned({ target, source: edited(ours, "shop/web-0-west", { service: without }) });
    deepEqual(actions(plan), ["update endpoint shop/web-0-west"]);
    deepEqual(fieldChanges(plan), [
      { field: "annotation config.linkerd.io/opaque-ports", live: "none", wanted: '"3306"' },
    ]);
  });
});
