import assert from "node:assert/strict";
import {
  copiedAnnotations,
  copiedLabels,
  othersKeys,
} from "../../../../engine/mirroring/model/metadata.ts";
import type { StringMap } from "../../../../engine/kubernetes/objects/objects.ts";
import { mirrorAt, wanted } from "../../fixtures/link.ts";
import { cluster, exported, service } from "../../fixtures/objects.ts";

type Row = [rule: string, key: string, excluded: readonly string[], copied: boolean];

function excluding(excluded: readonly string[], copiedMetadata: readonly string[] = []) {
  return { excludedLabels: excluded, excludedAnnotations: excluded, copiedMetadata };
}

describe("a label of an exported Service (linkerd-behaviour.md 2.6)", () => {
  const rows: Row[] = [
    ["is copied to the mirror", "app", [], true],
    ["is copied with a group", "app.kubernetes.io/name", [], true],
    ["is copied with an empty value's key", "tier", ["app"], true],
    ["of Linkerd's mirroring stays behind", "mirror.linkerd.io/exported", [], false],
    [
      "of anything that begins as Linkerd's mirroring stays behind",
      "mirror.linkerd.iox",
      [],
      false,
    ],
    ["of another group that ends so is copied", "not-mirror.linkerd.io/tier", [], true],
    ["of remote discovery stays behind", "multicluster.linkerd.io/remote-discovery", [], false],
    ["of Linkerd otherwise is copied", "linkerd.io/app", [], true],
    ["stays behind by its exact key", "evil", ["evil"], false],
    ["does not stay behind by the start of its key", "evilfoo", ["evil"], true],
    ["does not stay behind by its name without its group", "evil.io/a", ["a"], true],
    ["stays behind by group/*", "evil.linkerd/a", ["evil.linkerd/*"], false],
    ["stays behind by any of several exclusions", "b", ["a", "b"], false],
    ["[Q] is copied where group/* names its key without a group", "evil", ["evil/*"], true],
    ["[Q] is copied where group/* is the start of its key", "evilfoo", ["evil/*"], true],
    [
      "[Q] is copied where group/* is the start of its group",
      "app.kubernetes.io/name",
      ["app/*"],
      true,
    ],
    ["is copied whatever other wildcards say", "evil", ["ev*", "*"], true],
  ];
  for (const [rule, key, excluded, copied] of rows)
    it(`${rule}: ${key}`, () => {
      const labels = copiedLabels(
        service("shop/web", { labels: { [key]: "v" } }),
        excluding(excluded),
      );
      assert.deepEqual(labels, copied ? { [key]: "v" } : {});
    });

  it("cannot take the place of the labels that say whose mirror it is", () => {
    const labels = {
      app: "web",
      "mirror.linkerd.io/cluster-name": "north",
      "mirror.linkerd.io/mirrored-service": "false",
    };
    const target = cluster("west", { services: [exported("shop/web", { labels })] });
    assert.deepEqual(mirrorAt("shop/web-west", wanted({ target })).labels, {
      app: "web",
      "mirror.linkerd.io/cluster-name": "west",
      "mirror.linkerd.io/mirrored-service": "true",
    });
  });

  it("is absent on a Service without labels", () => {
    assert.deepEqual(copiedLabels(service("shop/web"), excluding([])), {});
  });
});

describe("an annotation of an exported Service (linkerd-behaviour.md 2.7)", () => {
  const opaque = "config.linkerd.io/opaque-ports";
  const rows: Row[] = [
    ["is copied to the mirror", "team", [], true],
    ["of kubectl is copied", "kubectl.kubernetes.io/restartedAt", [], true],
    ["of Linkerd's mirroring is copied", "mirror.linkerd.io/anything", [], true],
    ["of remote discovery stays behind", "multicluster.linkerd.io/remote-discovery", [], false],
    ["on topology stays behind", "service.kubernetes.io/topology-mode", [], false],
    ["on topology hints stays behind", "service.kubernetes.io/topology-aware-hints", [], false],
    ["stays behind by its exact key", "evil", ["evil"], false],
    ["stays behind by group/*", "evil.linkerd/a", ["evil.linkerd/*"], false],
    ["[Q] is copied where group/* is the start of its key", "evilfoo", ["evil/*"], true],
    ["on opaque ports is copied", opaque, [], true],
    ["on opaque ports is copied even if excluded", opaque, [opaque], true],
    [
      "on opaque ports is copied even if its group is excluded",
      opaque,
      ["config.linkerd.io/*"],
      true,
    ],
  ];
  for (const [rule, key, excluded, copied] of rows)
    it(`${rule}: ${key}`, () => {
      const web = service("shop/web", { annotations: { [key]: "v" } });
      assert.deepEqual(copiedAnnotations(web, excluding(excluded)), copied ? { [key]: "v" } : {});
    });

  it("cannot take the place of the name and version by which the mirror knows its origin", () => {
    const annotations: StringMap = {
      team: "shop",
      "mirror.linkerd.io/remote-svc-fq-name": "elsewhere",
      "mirror.linkerd.io/remote-resource-version": "0",
    };
    const web = exported("shop/web", { annotations, resourceVersion: "42" });
    const target = cluster("west", { services: [web] });
    const west = wanted({ target, link: { targetDomain: "west.example" } });
    assert.deepEqual(mirrorAt("shop/web-west", west).annotations, {
      team: "shop",
      "mirror.linkerd.io/remote-svc-fq-name": "web.shop.svc.west.example",
      "mirror.linkerd.io/remote-resource-version": "42",
    });
  });
});

/** What the controllers of two clusters would both act on: the mirror would be pruned, or published. */
describe("metadata by which other controllers own a Service or act on it", () => {
  const copied = (keys: readonly string[], exclusions = excluding([])) => {
    const map = Object.fromEntries(keys.map((key) => [key, "v"]));
    const web = service("shop/web", { labels: map, annotations: map });
    const labels = Object.keys(copiedLabels(web, exclusions));
    assert.deepEqual(Object.keys(copiedAnnotations(web, exclusions)), labels);
    return labels;
  };

  for (const entry of Object.keys(othersKeys))
    it(`stays behind: ${entry}`, () => {
      assert.deepEqual(copied([entry.replace("*", "key")]), []);
    });

  it("is known by its whole key or group, and not by how that begins or ends", () => {
    const others = [
      "app.kubernetes.io/name",
      "app.kubernetes.io/instances",
      "argocd.argoproj.iox/instance",
      "prometheus.io",
      "managed-by",
      "constructor",
    ];
    assert.deepEqual(copied(others), others);
  });

  it("is copied where the link says so, by key or by group", () => {
    const keys = ["app.kubernetes.io/instance", "prometheus.io/port", "prometheus.io/scrape"];
    const some = excluding([], ["app.kubernetes.io/*", "prometheus.io/scrape"]);
    assert.deepEqual(copied(keys, some), [keys[0], keys[2]]);
  });

  it("stays behind where the link both copies and excludes it", () => {
    const both = excluding(["prometheus.io/port"], ["prometheus.io/*"]);
    assert.deepEqual(copied(["prometheus.io/port", "prometheus.io/path"], both), [
      "prometheus.io/path",
    ]);
  });
});
