import { deepEqual, match } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  byUs,
  type Edit,
  edited,
  withAnnotations,
  withLabels,
  withSpec,
} from "../../fixtures/edited.ts";
import { west } from "../../fixtures/link.ts";
import { endpoints, exported, headless, http, pods } from "../../fixtures/objects.ts";
import { actions, fieldChanges, planned, reconciled } from "../../fixtures/reconcile.ts";

const target = west(
  [
    exported("shop/web", { labels: { app: "web" }, annotations: { team: "shop" } }),
    headless("shop/db"),
    exported("shop/cache", { labels: { "mirror.linkerd.io/exported": "remote-discovery" } }),
  ],
  [endpoints("shop/db", [pods(["db-0"])])],
);
const source = reconciled({ target });
const planWith = (key: string, service: Edit<Service>) =>
  planned({ target, source: edited(source, key, { service }) });

const remoteName = "mirror.linkerd.io/remote-svc-fq-name";
const discovery = "multicluster.linkerd.io/remote-discovery";
const remoteService = "multicluster.linkerd.io/remote-service";
const root = "mirror.linkerd.io/headless-mirror-svc-name";
const [web, cache] = ["shop/web-west", "shop/cache-west"] as const;
const [db, db0] = ["shop/db-west", "shop/db-0-west"] as const;
const db0Name = '"db-0.db.shop.svc.cluster.local"';
const port = "http 80→8080/TCP";

type Row = [key: string, Edit<Service>, field: string, live: string, wanted: string];

const rows: Row[] = [
  [web, withSpec({ type: "NodePort" }), "type", "NodePort", "ClusterIP"],
  [web, withSpec({ selector: { b: "2", a: "1" } }), "selector", "a=1, b=2", "none"],
  [web, withSpec({ ports: [] }), "ports", "none", port],
  [web, withSpec({ ports: [{ ...http, port: 81 }] }), "ports", "http 81→8080/TCP", port],
  [db, withSpec({ ports: [{ ...http, port: 81 }] }), "ports", "http 81→8080/TCP", port],
  [web, withSpec({ ports: [{ ...http, appProtocol: "x" }] }), "ports", `${port} as x`, port],
  [web, withSpec({ ports: [http, { port: 90 }] }), "ports", `90/TCP, ${port}`, port],
  [web, withLabels({ app: "db" }), "label app", '"db"', '"web"'],
  [web, withLabels({ app: undefined }), "label app", "none", '"web"'],
  [web, byUs(withLabels({ tier: "" })), "label tier", '""', "none"],
  [web, byUs(withLabels({ constructor: "x" })), "label constructor", '"x"', "none"],
  [web, withLabels({ [discovery]: "west" }), `label ${discovery}`, '"west"', "none"],
  [cache, withLabels({ [discovery]: undefined }), `label ${discovery}`, "none", '"west"'],
  [cache, withLabels({ [remoteService]: "old" }), `label ${remoteService}`, '"old"', '"cache"'],
  [db0, withLabels({ [root]: undefined }), `label ${root}`, "none", '"db-west"'],
  [db0, withLabels({ [root]: "web-west" }), `label ${root}`, '"web-west"', '"db-west"'],
  [web, withAnnotations({ team: "a" }), "annotation team", '"a"', '"shop"'],
  [web, withAnnotations({ team: undefined }), "annotation team", "none", '"shop"'],
  [web, byUs(withAnnotations({ note: "x" })), "annotation note", '"x"', "none"],
  [db0, withAnnotations({ [remoteName]: "old" }), `annotation ${remoteName}`, '"old"', db0Name],
];

describe("a mirror's Service that was edited by hand", () => {
  for (const [key, edit, field, live, wanted] of rows)
    it(`has exactly that put right: ${key} with ${field} ${live} for ${wanted}`, () => {
      const { changes } = planWith(key, edit);
      deepEqual(
        changes.map(({ verdict, key, fields }) => [verdict, key, fields]),
        [["update", key, [{ field, live, wanted }]]],
      );
    });

  it("has a long value told by its beginning and its length", () => {
    const plan = planWith("shop/web-west", byUs(withAnnotations({ note: "x".repeat(200) })));
    match(fieldChanges(plan)[0]?.live ?? "", /^"x+… \(202 characters\)$/);
  });

  it("is replaced where it lost its address or got one, as Kubernetes cannot change that", () => {
    const lost = planWith("shop/web-west", withSpec({ clusterIP: "None" }));
    deepEqual(actions(lost), ["replace gateway shop/web-west"]);
    deepEqual(fieldChanges(lost), [{ field: "clusterIP", live: "None", wanted: "an address" }]);
    const got = planWith("shop/db-west", withSpec({ clusterIP: "10.96.9.9" }));
    deepEqual(actions(got), ["replace headless shop/db-west"]);
    deepEqual(fieldChanges(got), [{ field: "clusterIP", live: "an address", wanted: "None" }]);
  });

  const version = "mirror.linkerd.io/remote-resource-version";
  const harmless: Record<string, Edit<Service>> = {
    "another resource version of the exported Service": withAnnotations({ [version]: "0" }),
    "no resource version of the exported Service": withAnnotations({ [version]: undefined }),
    "another address": withSpec({ clusterIP: "10.96.7.7" }),
    "its default type left out": ({ spec: { type: _, ...spec }, ...rest }) => ({ ...rest, spec }),
    "an empty selector": withSpec({ selector: {} }),
    "its default protocol left out": withSpec({
      ports: [{ name: "http", port: 80, targetPort: 8080 }],
    }),
    "a label of somebody's own": withLabels({ tier: "", constructor: "x" }),
    "an annotation of somebody's own": withAnnotations({ note: "x" }),
    "a node port": withSpec({ ports: [{ ...http, nodePort: 30080 }] }),
  };
  for (const [what, edit] of Object.entries(harmless))
    it(`is left alone with ${what}`, () => {
      deepEqual(planWith("shop/web-west", edit).changes, []);
    });
});
