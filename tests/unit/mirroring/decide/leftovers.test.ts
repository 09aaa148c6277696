import { deepEqual, equal } from "node:assert/strict";
import { reasons } from "../../../../engine/model/reasons.ts";
import { edited } from "../../fixtures/edited.ts";
import { noGateway, type LinkScenario, west } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, namespace, pods } from "../../fixtures/objects.ts";
import { actions, planned, reconciled, skipped } from "../../fixtures/reconcile.ts";

const db = headless("shop/db");
const dbPods = endpoints("shop/db", [pods(["db-0"])]);
const web = exported("shop/web");
const full = west([db, web], [dbPods]);
const source = reconciled({ target: full });
const over = { annotations: { "endpoints.kubernetes.io/over-capacity": "truncated" } };
const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`a${n}`, "x"]));

/** The target with another `db`, and `web` as it was. */
function dbWith(labels: Record<string, string>, spec: Parameters<typeof exported>[2] = {}) {
  const other = exported("shop/db", { labels }, { clusterIP: "None", ...spec });
  return { target: west([other, web], [dbPods]) };
}

const ofDb = ["delete endpoint shop/db-0-west", "delete headless shop/db-west"];
const all = [...ofDb, "delete gateway shop/web-west"];
const both = (reason: string) => [`${reason} shop/db`, `${reason} shop/web`];
const going = namespace("shop", { deletionTimestamp: "2026-01-01T00:00:00Z" });

type Row = [why: string, scenario: Partial<LinkScenario>, changes: string[], skips?: string[]];
const rows: Row[] = [
  [
    "its Service says that it is not exported",
    dbWith({ "mirror.linkerd.io/exported": "false" }),
    ofDb,
  ],
  ["its Service has too many labels by now", dbWith(many), [], ["TooLarge shop/db"]],
  [
    "its namespace is said to be missing",
    { source: { ...source, namespaces: new Map() } },
    all,
    both("MissingNamespace"),
  ],
  [
    "its namespace is being deleted",
    { source: { ...source, namespaces: new Map([["shop", going]]) } },
    [],
    both("TerminatingNamespace"),
  ],
  ["the gateway is not to be found now", { gateway: noGateway }, [], both("NoGateway")],
  [
    "its Endpoints name only some of its pods",
    { target: west([db, web], [endpoints("shop/db", [pods(["db-1"])], over)]) },
    [],
    ["TruncatedEndpoints shop/db"],
  ],
];

describe("a mirror that this run doesn't want", () => {
  for (const [why, scenario, changes, skips = []] of rows)
    it(`${changes.length === 0 ? "stays" : "goes"} where ${why}`, () => {
      const plan = planned({ target: full, source, ...scenario });
      deepEqual([actions(plan), skipped(plan)], [changes, skips]);
      for (const { reason } of plan.skips) equal(reasons[reason].keeps, changes.length === 0);
    });

  it("is still listed while it stays, as it is live", () => {
    const { mirrors } = planned({ target: full, source, gateway: noGateway });
    deepEqual(mirrors, planned({ target: full, source }).mirrors);
  });

  it("is deleted if only its Endpoints are left", () => {
    const left = edited(source, "shop/web-west", { service: () => undefined });
    const plan = planned({ target: west([db], [dbPods]), source: left });
    deepEqual(actions(plan), ["delete gateway shop/web-west"]);
  });
});

describe("namespaces", () => {
  const target = west([exported("b/web"), exported("a/web"), exported("a/db")]);
  const link = { createNamespaces: true };
  const source = cluster("east");

  it("are created once each, in order, with createNamespaces, and never deleted", () => {
    deepEqual(planned({ target, source, link }).namespaces, ["a", "b"]);
    const after = reconciled({ target, source, link });
    deepEqual(planned({ target, source: after, link }).namespaces, []);
    deepEqual(reconciled({ target: west(), source: after, link }).namespaces, after.namespaces);
  });

  it("aren't created for a Service that can't be mirrored", () => {
    const broken = west([exported("a/web", {}, { ports: [] })]);
    deepEqual(planned({ target: broken, source, link }).namespaces, []);
  });
});
