import { deepEqual, equal } from "node:assert/strict";
import { endpointsManifest, serviceManifest } from "../../../../engine/mirroring/apply/objects.ts";
import type { LinkSpec } from "../../../../engine/model/link.ts";
import type {
  ObjectMeta,
  Service,
  StringMap,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { mergedKeys, staleKeys } from "../../../../engine/model/difference.ts";
import { byUs, edited, withLabels } from "../../fixtures/edited.ts";
import { mirrorAt, wanted, west } from "../../fixtures/link.ts";
import {
  confirmed,
  controllerManager,
  marked,
  ourManager,
  unmarked,
  written,
} from "../../fixtures/marks.ts";
import { exported, service } from "../../fixtures/objects.ts";
import { fieldChanges, planned, reconciled } from "../../fixtures/reconcile.ts";

const ours: StringMap = {
  "mirror.linkerd.io/cluster-name": "west",
  "mirror.linkerd.io/mirrored-service": "true",
};
const key = "shop/web-west";
const target = west([exported("shop/web")]);
const mirror = mirrorAt(key, wanted({ target }));
const fresh = await reconciled({ target });

/** A live mirror as it was made, and what then became of its labels. */
function live(maker: string | undefined, more: StringMap, editor?: string): Service {
  const made = service(key, { labels: ours, annotations: mirror.annotations });
  const before = maker === undefined ? made : marked(made, maker);
  const after = withLabels(more)(before);
  return editor === undefined ? after : written(editor, after, before);
}

const own = { tier: "gold" };
const dashboard = "linkerd-multicluster-dashboard";

const rows: [who: string, live: Service, goes: boolean][] = [
  ["kubectl wrote", live(ourManager, own, "kubectl-edit"), false],
  ["an admission webhook's own controller wrote", live(controllerManager, own, "policy"), false],
  ["nobody is said to have written", live(ourManager, own), false],
  ["is on a mirror without managed fields", live(undefined, own), false],
  ["another stack of this program copied", live(ourManager, own, "linkerd-multicluster/a/b"), true],
  ["this stack copied", live(ourManager, own, ourManager), true],
  ["Linkerd's controller copied", live(controllerManager, own, controllerManager), true],
  ["a program of a similar name wrote", live(ourManager, own, dashboard), false],
];

describe("an unwanted key of a live mirror", () => {
  for (const [who, object, goes] of rows)
    it(`${goes ? "goes" : "stays"} where ${who} it`, () => {
      const source = edited(fresh, key, { service: () => object });
      deepEqual(
        fieldChanges(planned({ target, source })),
        goes ? [{ field: "label tier", live: '"gold"', wanted: "none" }] : [],
      );
      equal(serviceManifest(mirror, object).metadata.labels?.tier, goes ? undefined : "gold");
    });

  it("is removed if it is Linkerd's own, whoever wrote it, except opaque ports", () => {
    const vocabulary = [
      "multicluster.linkerd.io/remote-discovery",
      ...["headless-mirror-svc-name", "exported", "federated"].map(
        (name) => `mirror.linkerd.io/${name}`,
      ),
    ];
    const theirs = Object.fromEntries(vocabulary.map((key) => [key, "x"]));
    const { metadata } = live(ourManager, theirs, "kubectl-edit");
    deepEqual(staleKeys("labels", metadata, ours), vocabulary);
    deepEqual(mergedKeys("labels", metadata, ours), ours);
    const annotations = { "config.linkerd.io/opaque-ports": "3306" };
    deepEqual(mergedKeys("annotations", { ...metadata, annotations }, {}), annotations);
  });

  it("may have the name of an inherited property", () => {
    const labels = { ...ours, constructor: "x", ["__proto__"]: "z" };
    const copied = marked(service(key, { labels }), ourManager);
    deepEqual(staleKeys("labels", copied.metadata, ours), ["constructor", "__proto__"]);
    deepEqual(mergedKeys("labels", copied.metadata, ours), ours);
    deepEqual(mergedKeys("labels", unmarked(copied).metadata, ours), labels);
  });

  it("is sent with an update, in Endpoints too, and not to a new mirror", () => {
    const { metadata } = live(ourManager, own, "kubectl-edit");
    const { endpoints = { labels: {}, annotations: {}, subsets: [] } } = mirror;
    const sent = endpointsManifest(mirror, endpoints, [], { metadata });
    deepEqual(sent.metadata.labels, { ...ours, ...own });
    deepEqual(serviceManifest(mirror).metadata.labels, ours);
  });
});

const excluded = { labels: { tier: "gold", "evil.io/a": "1" }, annotations: { note: "x" } };
const excluding = west([exported("shop/web", excluded)]);
const copied = await reconciled({ target: excluding });

describe("a key that a link excludes", () => {
  const now = (link: Partial<LinkSpec>, source = copied) =>
    fieldChanges(planned({ target: excluding, source, link })).map(({ field }) => field);
  const both = (key: string) => [`label ${key}`, `endpoints label ${key}`];

  it("is removed if it is our earlier copy, on the Service and its Endpoints", () => {
    deepEqual(now({ excludedLabels: ["tier"] }), both("tier"));
    deepEqual(now({ excludedLabels: ["evil.io/*"] }), both("evil.io/a"));
    deepEqual(now({ excludedAnnotations: ["note"] }), ["annotation note"]);
  });

  it("is removed whatever its value, since only admission changes it and keeps this program as its writer", () => {
    const silver = byUs(withLabels({ tier: "silver" }));
    const admitted = edited(copied, key, { service: silver, endpoints: silver });
    deepEqual(now({ excludedLabels: ["tier"] }, admitted), both("tier"));
  });

  it("stays if another manager sets it too", () => {
    const shared = (object: Service) =>
      confirmed("policy", object, { "f:labels": { "f:tier": {} } });
    const source = edited(copied, key, { service: shared });
    deepEqual(now({ excludedLabels: ["tier"] }, source), ["endpoints label tier"]);
  });
});

const argo = "argocd.argoproj.io/instance";
const owned = west([exported("shop/web", { labels: { [argo]: "shop" } })]);
const clean = await reconciled({ target: owned });

describe("a key by which another controller owns the exported Service", () => {
  const fields = [`endpoints label ${argo}`, `label ${argo}`];
  const goes = (source: typeof clean) =>
    fieldChanges(planned({ target: owned, source }))
      .map(({ field }) => field)
      .sort();

  it("is removed from a mirror, whoever created it and whatever the value", () => {
    for (const maker of [ourManager, controllerManager])
      for (const value of ["shop", "what it was before"]) {
        const made = <T extends { readonly metadata: ObjectMeta }>(object: T) =>
          marked(withLabels({ [argo]: value })(object), maker);
        deepEqual(goes(edited(clean, key, { service: made, endpoints: made })), fields);
      }
  });

  it("stays if the source's own controller set it", () => {
    const set = (object: Service) =>
      written("argocd", withLabels({ [argo]: "east" })(object), object);
    deepEqual(goes(edited(clean, key, { service: set })), []);
  });
});
