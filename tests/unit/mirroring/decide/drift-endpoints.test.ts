import { deepEqual } from "node:assert/strict";
import type { Endpoints, EndpointSubset } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  byUs,
  type Edit,
  edited,
  withAnnotations,
  withLabels,
  withSubsets,
} from "../../fixtures/edited.ts";
import { known, west } from "../../fixtures/link.ts";
import { endpoints, exported, headless, pods } from "../../fixtures/objects.ts";
import { actions, fieldChanges, planned, reconciled } from "../../fixtures/reconcile.ts";

const situation = {
  gateway: known({ addresses: ["192.0.2.10", "192.0.2.9"] }),
  target: west(
    [
      exported("shop/web", { labels: { app: "web" } }),
      headless("shop/db"),
      exported("shop/cache", { labels: { "mirror.linkerd.io/exported": "remote-discovery" } }),
    ],
    [endpoints("shop/db", [pods(["db-0", "db-1"])])],
  ),
};
const source = reconciled(situation);
const planWith = (key: string, endpoints: Edit<Endpoints>) =>
  planned({ ...situation, source: edited(source, key, { endpoints }) });

const http = (port: number, protocol = "TCP") => [{ name: "http", protocol, port }];
const to = (...ips: string[]) => ips.map((ip) => ({ ip }));
/** The Endpoints of `web`, and of `db`, with something else in their place. */
const web = (other: EndpointSubset) =>
  withSubsets({ addresses: to("192.0.2.10", "192.0.2.9"), ports: http(4143), ...other });
const db = (...addresses: NonNullable<EndpointSubset["addresses"]>) =>
  withSubsets({ addresses, ports: http(8080) });
const [first, second] = [
  { ip: "10.96.0.2", hostname: "db-0" },
  { ip: "10.96.0.3", hostname: "db-1" },
];
const [to10, to9] = ["192.0.2.10 (http 4143/TCP)", "192.0.2.9 (http 4143/TCP)"];
const [both, db1] = [`${to10}, ${to9}`, "db-1@10.96.0.3 (http 8080/TCP)"];
const toPods = `db-0@10.96.0.2 (http 8080/TCP), ${db1}`;
const gone: Edit<Endpoints> = () => undefined;

const [edit, ours] = [{ tier: "1" }, '"1"'];
const unnamed = [{ protocol: "TCP", port: 4143 }];
const named = { addresses: [{ ip: "192.0.2.10" }, { ip: "192.0.2.9", hostname: "gw" }] };
const unready = { addresses: to("192.0.2.9"), notReadyAddresses: to("192.0.2.10") };
const more = { addresses: to("192.0.2.10", "192.0.2.9", "10.0.0.1") };
const moved = { ...second, ip: "10.96.0.9" };

/** The texts are those of the addresses that come and go. */
type Row = [what: string, edit: Edit<Endpoints>, live: string, wanted: string, field?: string];

const tables: Record<string, Row[]> = {
  "shop/web-west": [
    ["no object", gone, "no object", both],
    ["no subsets", withSubsets(), "none", both],
    ["no list of subsets", ({ metadata }) => ({ metadata }), "none", both],
    ["an address less", web({ addresses: to("192.0.2.9") }), "none", to10],
    ["an address more", web(more), "10.0.0.1 (http 4143/TCP)", "none"],
    ["an address that is not ready", web(unready), `${to10} not ready`, to10],
    ["another port", web({ ports: http(1) }), both.replaceAll("4143", "1"), both],
    ["another port name", web({ ports: unnamed }), both.replaceAll("http ", ""), both],
    ["another protocol", web({ ports: http(4143, "UDP") }), both.replaceAll("TCP", "UDP"), both],
    ["a hostname", web(named), `gw@${to9}`, to9],
    ["another label", withLabels({ app: "db" }), '"db"', '"web"', "label app"],
    ["a copied label more", byUs(withLabels(edit)), ours, "none", "label tier"],
    ["an annotation of ours more", byUs(withAnnotations(edit)), ours, "none", "annotation tier"],
    ...Object.entries({
      "mirror.linkerd.io/remote-gateway-identity": '"gateway.west"',
      "mirror.linkerd.io/remote-svc-fq-name": '"web.shop.svc.cluster.local"',
    }).map(([key, value]): Row => {
      const old = withAnnotations({ [key]: "old" });
      return [`another ${key}`, old, '"old"', value, `annotation ${key}`];
    }),
  ],
  "shop/db-west": [
    ["no object", gone, "no object", toPods],
    ["a pod less", db(first), "none", db1],
    ["a pod at another address", db(first, moved), db1.replace("0.3", "0.9"), db1],
    ["a pod without its name", db(first, { ip: second.ip }), db1.replace("db-1@", ""), db1],
    ["the gateway in it, as Linkerd's controller writes it", web({}), both, toPods],
  ],
};

describe("a mirror's Endpoints that were edited by hand", () => {
  for (const [key, rows] of Object.entries(tables))
    for (const [what, edit, live, wanted, field] of rows)
      it(`have exactly that put right: ${key} with ${what}`, () => {
        deepEqual(
          planWith(key, edit).changes.map(({ verdict, key, fields }) => [verdict, key, fields]),
          [["update", key, [{ field: field ? `endpoints ${field}` : "endpoints", live, wanted }]]],
        );
      });

  const [ten, nine] = [to("192.0.2.10"), to("192.0.2.9")];
  const harmless: [what: string, key: string, edit: Edit<Endpoints>][] = [
    ["addresses in another order", "web", web({ addresses: [...nine, ...ten] })],
    ["the default protocol left out", "web", web({ ports: [{ name: "http", port: 4143 }] })],
    ["a label of somebody's own", "web", withLabels({ tier: "1" })],
    ["an annotation of somebody's own", "web", withAnnotations({ a: "b" })],
  ];
  for (const [what, name, edit] of harmless)
    it(`are left alone with ${what}`, () => {
      deepEqual(planWith(`shop/${name}-west`, edit).changes, []);
    });

  it("of a headless mirror follow a pod's mirror that has to be made anew", () => {
    const without = edited(source, "shop/db-1-west", { service: () => undefined });
    const plan = planned({ ...situation, source: without });
    deepEqual(actions(plan), ["create endpoint shop/db-1-west", "update headless shop/db-west"]);
    deepEqual(fieldChanges(plan), [
      { field: "endpoints", live: db1, wanted: "db-1@new (http 8080/TCP)" },
    ]);
  });
});
