import assert from "node:assert/strict";
import { serviceManifest, endpointsManifest } from "../../../../engine/mirroring/apply/objects.ts";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { Service, StringMap } from "../../../../engine/kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import {
  mergedKeys,
  staleKeys,
} from "../../../../engine/mirroring/decide/difference/written-keys.ts";
import { edited, withLabels } from "../../fixtures/edited.ts";
import { mirrorAt, wanted } from "../../fixtures/link.ts";
import { controllerManager, marked, ourManager, unmarked, written } from "../../fixtures/marks.ts";
import { cluster, exported, service } from "../../fixtures/objects.ts";
import { fieldChanges, planned, reconciled } from "../../fixtures/reconcile.ts";

const ours: StringMap = {
  "mirror.linkerd.io/cluster-name": "west",
  "mirror.linkerd.io/mirrored-service": "true",
};
const mirror = mirrorAt(
  "shop/web-west",
  wanted({ target: cluster("west", { services: [exported("shop/web")] }) }),
);

/** A live mirror as it was made, and what then became of its labels. */
function live(maker: string | undefined, more: StringMap, editor?: string): Service {
  const made = service("shop/web-west", { labels: ours, annotations: mirror.annotations });
  const before = maker === undefined ? made : marked(made, maker);
  const after = withLabels(more)(before);
  return editor === undefined ? after : written(editor, after, before);
}

const own = { tier: "gold" };
const stale = [{ field: "label tier", live: '"gold"', wanted: "none" }];

const rows: [who: string, live: Service, goes: boolean][] = [
  ["kubectl wrote", live(ourManager, own, "kubectl-edit"), false],
  ["an admission webhook's own controller wrote", live(controllerManager, own, "policy"), false],
  ["nobody is said to have written", live(ourManager, own), false],
  ["is on a mirror without managed fields", live(undefined, own), false],
  ["another stack of this program copied", live(ourManager, own, "linkerd-multicluster/a/b"), true],
  ["this stack copied", live(ourManager, own, ourManager), true],
  ["Linkerd's controller copied", live(controllerManager, own, controllerManager), true],
  [
    "a program of a similar name wrote",
    live(ourManager, own, "linkerd-multicluster-dashboard"),
    false,
  ],
];

describe("a key of a live mirror that nobody asks for", () => {
  for (const [who, object, goes] of rows)
    it(`${goes ? "goes" : "stays"} where ${who} it`, () => {
      const target = cluster("west", { services: [exported("shop/web")] });
      const source = cluster("east", {
        services: [object],
        endpoints: [
          ...reconciled({
            target,
            source: cluster("east", { namespaces: ["shop"] }),
          }).endpoints.values(),
        ],
      });
      assert.deepEqual(fieldChanges(planned({ target, source })), goes ? stale : []);
      const sent = serviceManifest(mirror, object).metadata.labels ?? {};
      assert.equal(sent["tier"], goes ? undefined : "gold");
    });

  const vocabulary = [
    "multicluster.linkerd.io/remote-discovery",
    "mirror.linkerd.io/headless-mirror-svc-name",
    "mirror.linkerd.io/exported",
    "mirror.linkerd.io/federated",
  ];
  for (const key of vocabulary)
    it(`goes where it is Linkerd's own ${key}, whoever wrote it`, () => {
      const object = live(ourManager, { [key]: "x" }, "kubectl-edit");
      assert.deepEqual(staleKeys("labels", object.metadata, ours), [key]);
      assert.equal(key in mergedKeys("labels", object.metadata, ours), false);
    });

  it("stays where it is somebody's opaque ports, which are copied like any other annotation", () => {
    const key = "config.linkerd.io/opaque-ports";
    const made = marked(service("shop/web-west", { labels: ours }));
    const meta = { ...made.metadata, annotations: { [key]: "3306" } };
    assert.deepEqual(staleKeys("annotations", meta, {}), []);
    assert.deepEqual(mergedKeys("annotations", meta, {}), { [key]: "3306" });
  });

  it("may have the name of what every object inherits", () => {
    const labels = { ...ours, constructor: "x", ["__proto__"]: "z" };
    const copied = marked(service("shop/web-west", { labels }), ourManager);
    assert.deepEqual(staleKeys("labels", copied.metadata, ours), ["constructor", "__proto__"]);
    assert.deepEqual(mergedKeys("labels", copied.metadata, ours), ours);
    assert.deepEqual(mergedKeys("labels", unmarked(copied).metadata, ours), labels);
  });

  it("is sent along with what is wanted, in Endpoints too", () => {
    const { endpoints } = mirror;
    assert.ok(endpoints);
    const object = live(ourManager, own, "kubectl-edit");
    const complete = { ...mirror, endpoints };
    const sent = endpointsManifest(complete, [], { metadata: object.metadata });
    assert.deepEqual(sent.metadata.labels, { ...ours, ...own });
  });

  it("does not outlive its mirror: a new one has what is wanted alone", () => {
    assert.deepEqual(mergedKeys("labels", undefined, ours), ours);
    assert.deepEqual(serviceManifest(mirror).metadata.labels, ours);
  });
});

describe("a key that a link excludes", () => {
  const labels = { tier: "gold", "evil.io/a": "1" };
  const target = cluster("west", { services: [exported("shop/web", { labels })] });
  const copied = reconciled({ target, source: cluster("east", { namespaces: ["shop"] }) });
  const now = (link: Partial<LinkSpec>, source = copied) =>
    fieldChanges(planned({ target, source, link })).map(({ field }) => field);

  it("goes where it is the copy made before, on the Service and its Endpoints", () => {
    assert.deepEqual(now({ excludedLabels: ["tier"] }), ["label tier", "endpoints label tier"]);
    assert.deepEqual(now({ excludedLabels: ["evil.io/*"] }), [
      "label evil.io/a",
      "endpoints label evil.io/a",
    ]);
  });

  it("stays where it has another value, as admission gives it in our name", () => {
    const admitted = edited(copied, "shop/web-west", {
      service: (object) => written(ourManager, withLabels({ tier: "silver" })(object), object),
      endpoints: (object) => written(ourManager, withLabels({ tier: "silver" })(object), object),
    });
    assert.deepEqual(now({ excludedLabels: ["tier"] }, admitted), []);
    assert.deepEqual(now({}, admitted), ["label tier", "endpoints label tier"]);
  });

  it("stays where the exported Service has none, whatever its name", () => {
    for (const key of ["added", "constructor"]) {
      const admitted = edited(copied, "shop/web-west", {
        service: (object) => written(ourManager, withLabels({ [key]: "x" })(object), object),
      });
      assert.deepEqual(now({ excludedLabels: [key] }, admitted), []);
      assert.deepEqual(now({}, admitted), [`label ${key}`]);
    }
  });

  it("may be an annotation", () => {
    const annotated = cluster("west", {
      services: [exported("shop/web", { annotations: { note: "x" } })],
    });
    const source = reconciled({
      target: annotated,
      source: cluster("east", { namespaces: ["shop"] }),
    });
    const plan = planned({ target: annotated, source, link: { excludedAnnotations: ["note"] } });
    assert.deepEqual(
      fieldChanges(plan).map(({ field }) => field),
      ["annotation note"],
    );
  });
});

describe("a key by which another controller owns the exported Service", () => {
  const key = "argocd.argoproj.io/instance";
  const target = cluster("west", {
    services: [exported("shop/web", { labels: { [key]: "shop" } })],
  });
  const clean = reconciled({ target, source: cluster("east", { namespaces: ["shop"] }) });
  const fields = [`endpoints label ${key}`, `label ${key}`];
  const labelled = (label: StringMap, maker: string) =>
    edited(clean, "shop/web-west", {
      service: (object) => marked(withLabels(label)(object), maker),
      endpoints: (object) => marked(withLabels(label)(object), maker),
    });
  const goes = (source: ClusterSnapshot, link: Partial<LinkSpec> = {}) =>
    fieldChanges(planned({ target, source, link }))
      .map(({ field }) => field)
      .sort();

  it("goes from a mirror that has it, whoever made the mirror and whatever it is now", () => {
    for (const maker of [ourManager, controllerManager])
      for (const value of ["shop", "what it was before"])
        assert.deepEqual(goes(labelled({ [key]: value }, maker)), fields);
  });

  it("stays where the source's own controller has set it", () => {
    const theirs = edited(clean, "shop/web-west", {
      service: (object) => written("argocd", withLabels({ [key]: "east" })(object), object),
    });
    assert.deepEqual(goes(theirs), []);
  });

  it("comes to a mirror of a link that copies it", () => {
    assert.deepEqual(goes(clean, { copiedMetadata: ["argocd.argoproj.io/*"] }), fields);
  });
});
