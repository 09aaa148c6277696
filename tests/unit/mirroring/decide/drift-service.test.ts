import assert from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { FieldChange } from "../../../../engine/mirroring/decide/decision.ts";
import { cluster, endpoints, exported, headless, http, pods } from "../../fixtures/objects.ts";
import { actions, fieldChanges, planned, reconciled } from "../../fixtures/reconcile.ts";
import {
  byUs,
  edited,
  withAnnotations,
  withLabels,
  withSpec,
  type Edit,
} from "../../fixtures/edited.ts";

const target = cluster("west", {
  services: [
    exported("shop/web", { labels: { app: "web" }, annotations: { team: "shop" } }),
    headless("shop/db"),
    exported("shop/cache", { labels: { "mirror.linkerd.io/exported": "remote-discovery" } }),
  ],
  endpoints: [endpoints("shop/db", [pods(["db-0"])])],
});
const source = reconciled({ target, source: cluster("east", { namespaces: ["shop"] }) });

type Row = [what: string, edit: Edit<Service>, change: FieldChange];

function label(key: string, live: string, wanted: string): FieldChange {
  return { field: `label ${key}`, live, wanted };
}

function ports(live: string): FieldChange {
  return { field: "ports", live, wanted: "http 80→8080/TCP" };
}

const remoteName = "mirror.linkerd.io/remote-svc-fq-name";
const discovery = "multicluster.linkerd.io/remote-discovery";
const root = "mirror.linkerd.io/headless-mirror-svc-name";

const rows: Record<string, readonly Row[]> = {
  "shop/web-west": [
    [
      "another type",
      withSpec({ type: "NodePort" }),
      { field: "type", live: "NodePort", wanted: "ClusterIP" },
    ],
    [
      "a selector",
      withSpec({ selector: { b: "2", a: "1" } }),
      { field: "selector", live: "a=1, b=2", wanted: "none" },
    ],
    ["no ports", withSpec({ ports: [] }), ports("none")],
    [
      "another port number",
      withSpec({ ports: [{ ...http, port: 81 }] }),
      ports("http 81→8080/TCP"),
    ],
    [
      "an application protocol that the exported Service has not",
      withSpec({ ports: [{ ...http, appProtocol: "kubernetes.io/h2c" }] }),
      ports("http 80→8080/TCP as kubernetes.io/h2c"),
    ],
    [
      "one port more",
      withSpec({ ports: [http, { name: "admin", port: 90 }] }),
      ports("admin 90/TCP, http 80→8080/TCP"),
    ],
    ["another value of a copied label", withLabels({ app: "db" }), label("app", '"db"', '"web"')],
    ["a copied label missing", withLabels({ app: undefined }), label("app", "none", '"web"')],
    ["a copied label more", byUs(withLabels({ tier: "" })), label("tier", '""', "none")],
    [
      "a copied label more with the name of an inherited property",
      byUs(withLabels({ constructor: "x" })),
      label("constructor", '"x"', "none"),
    ],
    [
      "a label of remote discovery",
      withLabels({ [discovery]: "west" }),
      label(discovery, '"west"', "none"),
    ],
    [
      "another value of a copied annotation",
      withAnnotations({ team: "a" }),
      { field: "annotation team", live: '"a"', wanted: '"shop"' },
    ],
    [
      "a copied annotation missing",
      withAnnotations({ team: undefined }),
      { field: "annotation team", live: "none", wanted: '"shop"' },
    ],
    [
      "a copied annotation more",
      byUs(withAnnotations({ note: "x" })),
      { field: "annotation note", live: '"x"', wanted: "none" },
    ],
    [
      "another remote name",
      withAnnotations({ [remoteName]: "web.shop.svc.old" }),
      {
        field: `annotation ${remoteName}`,
        live: '"web.shop.svc.old"',
        wanted: '"web.shop.svc.cluster.local"',
      },
    ],
  ],
  "shop/cache-west": [
    [
      "a discovery label missing",
      withLabels({ [discovery]: undefined }),
      label(discovery, "none", '"west"'),
    ],
    [
      "another remote Service",
      withLabels({ "multicluster.linkerd.io/remote-service": "old" }),
      label("multicluster.linkerd.io/remote-service", '"old"', '"cache"'),
    ],
  ],
  "shop/db-west": [
    [
      "another port number",
      withSpec({ ports: [{ ...http, port: 81 }] }),
      ports("http 81→8080/TCP"),
    ],
  ],
  "shop/db-0-west": [
    ["no root", withLabels({ [root]: undefined }), label(root, "none", '"db-west"')],
    ["another root", withLabels({ [root]: "web-west" }), label(root, '"web-west"', '"db-west"')],
    [
      "another remote name",
      withAnnotations({ [remoteName]: "db-1.db.shop.svc.cluster.local" }),
      {
        field: `annotation ${remoteName}`,
        live: '"db-1.db.shop.svc.cluster.local"',
        wanted: '"db-0.db.shop.svc.cluster.local"',
      },
    ],
  ],
};

describe("a mirror's Service that was edited by hand", () => {
  it("is none where nothing was", () => {
    assert.deepEqual(planned({ target, source }).changes, []);
  });

  for (const [key, edits] of Object.entries(rows))
    for (const [what, edit, change] of edits)
      it(`has exactly that put right: ${key} with ${what}`, () => {
        const plan = planned({ target, source: edited(source, key, { service: edit }) });
        assert.deepEqual(fieldChanges(plan), [change]);
        assert.deepEqual(
          plan.changes.map(({ verdict, key }) => `${verdict} ${key}`),
          [`update ${key}`],
        );
      });

  it("has a long value told by its beginning and its length", () => {
    const service = byUs<Service>(withAnnotations({ note: "x".repeat(200) }));
    const [change] = fieldChanges(
      planned({ target, source: edited(source, "shop/web-west", { service }) }),
    );
    assert.match(change?.live ?? "", /^"x+… \(202 characters\)$/);
  });

  it("is replaced where it lost its address or got one, as Kubernetes cannot change that", () => {
    const lost = planned({
      target,
      source: edited(source, "shop/web-west", { service: withSpec({ clusterIP: "None" }) }),
    });
    assert.deepEqual(actions(lost), ["replace gateway shop/web-west"]);
    assert.deepEqual(fieldChanges(lost), [
      { field: "clusterIP", live: "None", wanted: "an address" },
    ]);
    const got = planned({
      target,
      source: edited(source, "shop/db-west", { service: withSpec({ clusterIP: "10.96.9.9" }) }),
    });
    assert.deepEqual(actions(got), ["replace headless shop/db-west"]);
    assert.deepEqual(fieldChanges(got), [
      { field: "clusterIP", live: "an address", wanted: "None" },
    ]);
  });

  const harmless: [what: string, edit: Edit<Service>][] = [
    [
      "the resource version of the exported Service",
      withAnnotations({ "mirror.linkerd.io/remote-resource-version": "0" }),
    ],
    [
      "no resource version of the exported Service",
      withAnnotations({ "mirror.linkerd.io/remote-resource-version": undefined }),
    ],
    ["another address", withSpec({ clusterIP: "10.96.7.7" })],
    ["its default type left out", ({ spec: { type: _, ...spec }, ...rest }) => ({ ...rest, spec })],
    ["an empty selector", withSpec({ selector: {} })],
    [
      "its default protocol left out",
      withSpec({ ports: [{ name: "http", port: 80, targetPort: 8080 }] }),
    ],
    ["a label of somebody's own", withLabels({ tier: "", constructor: "x" })],
    ["an annotation of somebody's own", withAnnotations({ note: "x" })],
    ["a node port", withSpec({ ports: [{ ...http, nodePort: 30080 }] })],
  ];
  for (const [what, edit] of harmless)
    it(`is left alone with ${what}`, () => {
      const plan = planned({ target, source: edited(source, "shop/web-west", { service: edit }) });
      assert.deepEqual(plan.changes, []);
    });
});
