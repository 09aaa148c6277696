import { deepEqual, match } from "node:assert/strict";
import { copiedAnnotations, copiedLabels, othersKeys } from "../../../../engine/model/metadata.ts";
import { linkDefaults } from "../../../../engine/model/link.ts";
import { byUs, edited, withAnnotations, withLabels } from "../../fixtures/edited.ts";
import { mirrorAt, wanted, west } from "../../fixtures/link.ts";
import { exported, exporting, service } from "../../fixtures/objects.ts";
import { reconciled } from "../../fixtures/reconcile.ts";
import { argsFor, check } from "../../fixtures/checked.ts";

function excluding(excluded: readonly string[], copiedMetadata: readonly string[] = ["*"]) {
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
const retry = "retry.linkerd.io/http";

describe("by default, a key of an exported Service", () => {
  const rows: [rule: string, copied: Copied, keys: readonly string[]][] = [
    [
      "that Linkerd reads on a mirror is copied as an annotation",
      "as an annotation",
      [
        opaque,
        retry,
        "timeout.linkerd.io/request",
        "balancer.linkerd.io/failure-accrual",
        "balancer.alpha.linkerd.io/load-bias",
      ],
    ],
    [
      "of anybody else stays behind",
      "as neither",
      [
        ...["app", "team", "app.kubernetes.io/name", "example.com/owner", "linkerd.io/inject"],
        ...["field.cattle.io/targetWorkloadIds", "strimzi.io/cluster", "netbird.io/expose"],
        ...["notlinkerd.io/a", "linkerd.io.example.com/a", "constructor", "a/b/c"],
      ],
    ],
  ];
  for (const [rule, outcome, keys] of rows)
    it(rule, () => {
      const annotations = outcome === "as neither" ? [] : keys;
      deepEqual(copied(keys, linkDefaults), [[], annotations]);
    });
});

it("a key that one of several links doesn't copy stays behind", () => {
  const map = { a: "v", b: "v", c: "v" };
  const web = service("shop/web", { labels: map, annotations: map });
  const rules = [excluding(["a"]), excluding(["c"], ["c", "b"])];
  for (const one of [copiedLabels(web, ...rules), copiedAnnotations(web, ...rules)])
    deepEqual(Object.keys(one), ["b"]);
});

const rows: [rule: string, key: string, excluded: readonly string[], copied: Copied][] = [
  ["any", "app", [], "as both"],
  ["of Linkerd's mirroring", "mirror.linkerd.io/exported", [], "as neither"],
  ["of another group that ends so", "not-mirror.linkerd.io/tier", [], "as both"],
  ["of remote discovery", "multicluster.linkerd.io/remote-discovery", [], "as neither"],
  ["that keeps slices away", "endpointslice.kubernetes.io/skip-mirror", [], "as neither"],
  ["of the export itself", "linkerd-multicluster/clusters", [], "as neither"],
  ["on topology", "service.kubernetes.io/topology-mode", [], "as neither"],
  ["that is excluded", "evil", ["evil"], "as neither"],
  ["that begins like an excluded one", "evilfoo", ["evil"], "as both"],
  ["whose name without its group is excluded", "evil.io/a", ["a"], "as both"],
  ["excluded by group/*", "evil.linkerd/a", ["evil.linkerd/*"], "as neither"],
  ["of Linkerd's that is excluded", retry, ["retry.linkerd.io/*"], "as neither"],
  ["excluded by any of several exclusions", "b", ["a", "b"], "as neither"],
  ["[Q] without a group, which group/* names", "evil", ["evil/*"], "as both"],
  ["[Q] of which group/* is the start", "evilfoo", ["evil/*"], "as both"],
  ["[Q] of whose group group/* is the start", "app.kubernetes.io/name", ["app/*"], "as both"],
  ["whatever other wildcards say", "evil", ["ev*", "*"], "as both"],
  ["on opaque ports, as an annotation even if excluded", opaque, [opaque], "as an annotation"],
  ["or its group is", opaque, ["config.linkerd.io/*"], "as an annotation"],
];

describe("where a link copies all metadata, as Linkerd does (linkerd-behaviour.md 2.6, 2.7), a key", () => {
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
  it("isn't copied even if the link copies all", () => {
    const keys = Object.keys(othersKeys).map((entry) => entry.replace("*", "key"));
    deepEqual(copied(keys), [[], []]);
  });

  it("matches by whole key, by group, by the groups below it, and by the group as a key", () => {
    const below = [
      ...["logs.dynatrace.com/scrape", "co.elastic.logs/enabled", "management.cattle.io/a"],
      ...["resource.twingate.com", "internal.scylla-operator.scylladb.com/a", "scylla/rack"],
      ...["co.elastic.logs.json/a", "scylla.rack"],
    ];
    deepEqual(copied(below), [[], []]);
    const others = [
      ...["app.kubernetes.io/name", "app.kubernetes.io/instances", "argocd.argoproj.iox/instance"],
      ...["xcattle.io/a", "co.elastics/a", "managed-by", "constructor"],
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

it("a preview names once the copied keys that leave mirrors, and nothing else that is removed", async () => {
  const target = exporting("west", [
    exported("shop/web", { labels: { app: "web", tier: "1" }, annotations: { [retry]: "5xx" } }),
  ]);
  const earlier = await reconciled({ target });
  const remote = { "multicluster.linkerd.io/remote-discovery": "west" };
  const live = edited(earlier, "shop/web-west", {
    service: (object) =>
      byUs(withLabels(remote))(withAnnotations({ by: "hand", [retry]: "" })(object)),
  });
  const clusters = { east: live, west: target };
  const { notes } = await check({ args: argsFor(["west"]), clusters });
  const leaving = notes.filter((note) => note.includes("copiedMetadata"));
  deepEqual(leaving.length, 1);
  match(
    leaving.join(),
    /^east → west: 1 mirror will lose what isn't copied any longer \(label app, label tier\): /,
  );
});
