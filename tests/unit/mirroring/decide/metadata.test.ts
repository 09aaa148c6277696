import { deepEqual } from "node:assert/strict";
import {
  copiedAnnotations,
  copiedLabels,
  othersKeys,
} from "../../../../engine/mirroring/decide/metadata.ts";
import { mirrorAt, wanted, west } from "../../fixtures/link.ts";
import { exported, service } from "../../fixtures/objects.ts";

function excluding(excluded: readonly string[], copiedMetadata: readonly string[] = []) {
  return { excludedLabels: excluded, excludedAnnotations: excluded, copiedMetadata };
}

/** Returns the keys that are copied from labels and from annotations. */
function copied(keys: readonly string[], rules = excluding([])) {
  const map = Object.fromEntries(keys.map((key) => [key, "v"]));
  const web = service("shop/web", { labels: map, annotations: map });
  return [copiedLabels(web, rules), copiedAnnotations(web, rules)].map((one) => Object.keys(one));
}

type Copied = "as both" | "as an annotation" | "as neither";
const opaque = "config.linkerd.io/opaque-ports";
const rows: [rule: string, key: string, excluded: readonly string[], copied: Copied][] = [
  ["any", "app", [], "as both"],
  ["of Linkerd's mirroring", "mirror.linkerd.io/exported", [], "as an annotation"],
  ["that begins as Linkerd's mirroring", "mirror.linkerd.iox", [], "as an annotation"],
  ["of another group that ends so", "not-mirror.linkerd.io/tier", [], "as both"],
  ["of remote discovery", "multicluster.linkerd.io/remote-discovery", [], "as neither"],
  ["on topology", "service.kubernetes.io/topology-mode", [], "as neither"],
  ["that is excluded", "evil", ["evil"], "as neither"],
  ["that begins like an excluded one", "evilfoo", ["evil"], "as both"],
  ["whose name without its group is excluded", "evil.io/a", ["a"], "as both"],
  ["excluded by group/*", "evil.linkerd/a", ["evil.linkerd/*"], "as neither"],
  ["excluded by any of several exclusions", "b", ["a", "b"], "as neither"],
  ["[Q] without a group, which group/* names", "evil", ["evil/*"], "as both"],
  ["[Q] of which group/* is the start", "evilfoo", ["evil/*"], "as both"],
  ["[Q] of whose group group/* is the start", "app.kubernetes.io/name", ["app/*"], "as both"],
  ["whatever other wildcards say", "evil", ["ev*", "*"], "as both"],
  ["on opaque ports, as an annotation even if excluded", opaque, [opaque], "as an annotation"],
  ["or its group is", opaque, ["config.linkerd.io/*"], "as an annotation"],
];

describe("a key of an exported Service's labels or annotations (linkerd-behaviour.md 2.6, 2.7)", () => {
  for (const [rule, key, excluded, outcome] of rows)
    it(`${rule}, is copied ${outcome}: ${key}`, () => {
      const label = outcome === "as both";
      const annotation = outcome !== "as neither";
      const expected = [label, annotation].map((isCopied) => (isCopied ? [key] : []));
      deepEqual(copied([key], excluding(excluded)), expected);
    });

  it("can't replace those that identify the mirror's owner and Service", () => {
    const owner = {
      "mirror.linkerd.io/cluster-name": "north",
      "mirror.linkerd.io/mirrored-service": "false",
    };
    const name = "mirror.linkerd.io/remote-svc-fq-name";
    const version = "mirror.linkerd.io/remote-resource-version";
    const web = exported("shop/web", {
      resourceVersion: "42",
      labels: { app: "web", ...owner },
      annotations: { team: "shop", [name]: "elsewhere", [version]: "0" },
    });
    const found = wanted({ target: west([web]), link: { targetDomain: "west.example" } });
    const { labels, annotations } = mirrorAt("shop/web-west", found);
    deepEqual(labels, {
      app: "web",
      "mirror.linkerd.io/cluster-name": "west",
      "mirror.linkerd.io/mirrored-service": "true",
    });
    deepEqual(annotations, { team: "shop", [name]: "web.shop.svc.west.example", [version]: "42" });
  });
});

describe("metadata by which other controllers own or act on a Service", () => {
  it("isn't copied", () => {
    const keys = Object.keys(othersKeys).map((entry) => entry.replace("*", "key"));
    deepEqual(copied(keys), [[], []]);
  });

  it("matches by whole key or group, not by prefix or suffix", () => {
    const others = [
      ...["app.kubernetes.io/name", "app.kubernetes.io/instances", "argocd.argoproj.iox/instance"],
      ...["prometheus.io", "managed-by", "constructor"],
    ];
    deepEqual(copied(others), [others, others]);
  });

  it("is copied if copiedMetadata names its key or group", () => {
    const keys = ["app.kubernetes.io/instance", "prometheus.io/port", "prometheus.io/scrape"];
    const some = excluding([], ["app.kubernetes.io/*", "prometheus.io/scrape"]);
    deepEqual(copied(keys, some)[0], [keys[0], keys[2]]);
  });

  it("isn't copied if the link both copies and excludes it", () => {
    const both = excluding(["prometheus.io/port"], ["prometheus.io/*"]);
    deepEqual(copied(["prometheus.io/port", "prometheus.io/path"], both)[0], [
      "prometheus.io/path",
    ]);
  });
});
