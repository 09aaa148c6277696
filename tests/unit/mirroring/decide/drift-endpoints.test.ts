import assert from "node:assert/strict";
import type { Endpoints, EndpointSubset } from "../../../../engine/kubernetes/objects/objects.ts";
import type { FieldChange } from "../../../../engine/mirroring/decide/decision.ts";
import {
  byUs,
  edited,
  withAnnotations,
  withLabels,
  withSubsets,
  type Edit,
} from "../../fixtures/edited.ts";
import { known } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, pods } from "../../fixtures/objects.ts";
import { actions, fieldChanges, planned, reconciled } from "../../fixtures/reconcile.ts";

const situation = {
  gateway: known({ addresses: ["192.0.2.10", "192.0.2.9"] }),
  target: cluster("west", {
    services: [
      exported("shop/web", { labels: { app: "web" } }),
      headless("shop/db"),
      exported("shop/cache", { labels: { "mirror.linkerd.io/exported": "remote-discovery" } }),
    ],
    endpoints: [endpoints("shop/db", [pods(["db-0", "db-1"])])],
  }),
};
const source = reconciled({ ...situation, source: cluster("east", { namespaces: ["shop"] }) });

const to10 = "192.0.2.10 (http 4143/TCP)";
const to9 = "192.0.2.9 (http 4143/TCP)";
const [db0, db1] = ["db-0@10.96.0.2 (http 8080/TCP)", "db-1@10.96.0.3 (http 8080/TCP)"];
const toGateway: EndpointSubset = {
  addresses: [{ ip: "192.0.2.10" }, { ip: "192.0.2.9" }],
  ports: [{ name: "http", protocol: "TCP", port: 4143 }],
};
const [first, second] = [
  { ip: "10.96.0.2", hostname: "db-0" },
  { ip: "10.96.0.3", hostname: "db-1" },
];
const podPorts = [{ name: "http", protocol: "TCP", port: 8080 }];

const gone: Edit<Endpoints> = () => undefined;
const identity = "mirror.linkerd.io/remote-gateway-identity";
const remoteName = "mirror.linkerd.io/remote-svc-fq-name";

/** The texts are those of the addresses that come and go. */
type Row = [what: string, edit: Edit<Endpoints>, field: string, live: string, wanted: string];

const web: Row[] = [
  ["no object", gone, "endpoints", "no object", `${to10}, ${to9}`],
  ["no subsets", withSubsets(), "endpoints", "none", `${to10}, ${to9}`],
  ["no list of subsets", ({ metadata }) => ({ metadata }), "endpoints", "none", `${to10}, ${to9}`],
  [
    "an address less",
    withSubsets({ ...toGateway, addresses: [{ ip: "192.0.2.9" }] }),
    "endpoints",
    "none",
    to10,
  ],
  [
    "an address more",
    withSubsets(toGateway, { ...toGateway, addresses: [{ ip: "10.0.0.1" }] }),
    "endpoints",
    "10.0.0.1 (http 4143/TCP)",
    "none",
  ],
  [
    "an address that is not ready",
    withSubsets({
      ...toGateway,
      addresses: [{ ip: "192.0.2.9" }],
      notReadyAddresses: [{ ip: "192.0.2.10" }],
    }),
    "endpoints",
    `${to10} not ready`,
    to10,
  ],
  [
    "another port",
    withSubsets({ ...toGateway, ports: [{ name: "http", protocol: "TCP", port: 4144 }] }),
    "endpoints",
    "192.0.2.10 (http 4144/TCP), 192.0.2.9 (http 4144/TCP)",
    `${to10}, ${to9}`,
  ],
  [
    "another port name",
    withSubsets({ ...toGateway, ports: [{ protocol: "TCP", port: 4143 }] }),
    "endpoints",
    "192.0.2.10 (4143/TCP), 192.0.2.9 (4143/TCP)",
    `${to10}, ${to9}`,
  ],
  [
    "another protocol",
    withSubsets({ ...toGateway, ports: [{ name: "http", protocol: "UDP", port: 4143 }] }),
    "endpoints",
    "192.0.2.10 (http 4143/UDP), 192.0.2.9 (http 4143/UDP)",
    `${to10}, ${to9}`,
  ],
  [
    "a hostname",
    withSubsets({
      ...toGateway,
      addresses: [{ ip: "192.0.2.10" }, { ip: "192.0.2.9", hostname: "gw" }],
    }),
    "endpoints",
    "gw@192.0.2.9 (http 4143/TCP)",
    to9,
  ],
  ["another copied label", withLabels({ app: "db" }), "endpoints label app", '"db"', '"web"'],
  ["a copied label more", byUs(withLabels({ tier: "1" })), "endpoints label tier", '"1"', "none"],
  [
    "another identity",
    withAnnotations({ [identity]: "old" }),
    `endpoints annotation ${identity}`,
    '"old"',
    '"gateway.west"',
  ],
  [
    "another remote name",
    withAnnotations({ [remoteName]: "old" }),
    `endpoints annotation ${remoteName}`,
    '"old"',
    '"web.shop.svc.cluster.local"',
  ],
  [
    "an annotation of ours more",
    byUs(withAnnotations({ a: "b" })),
    "endpoints annotation a",
    '"b"',
    "none",
  ],
];

const db: Row[] = [
  ["no object", gone, "endpoints", "no object", `${db0}, ${db1}`],
  ["a pod less", withSubsets({ addresses: [first], ports: podPorts }), "endpoints", "none", db1],
  [
    "a pod at another address",
    withSubsets({ addresses: [first, { ...second, ip: "10.96.0.9" }], ports: podPorts }),
    "endpoints",
    "db-1@10.96.0.9 (http 8080/TCP)",
    db1,
  ],
  [
    "a pod without its name",
    withSubsets({ addresses: [first, { ip: second.ip }], ports: podPorts }),
    "endpoints",
    "10.96.0.3 (http 8080/TCP)",
    db1,
  ],
  [
    "the gateway in it, as Linkerd's controller writes it",
    withSubsets(toGateway),
    "endpoints",
    `${to10}, ${to9}`,
    `${db0}, ${db1}`,
  ],
];

describe("a mirror's Endpoints that were edited by hand", () => {
  it("are none where nothing was", () => {
    assert.deepEqual(planned({ ...situation, source }).changes, []);
  });

  const tables = [
    ["shop/web-west", web],
    ["shop/db-west", db],
  ] as const;
  for (const [key, rows] of tables)
    for (const [what, edit, field, live, wanted] of rows)
      it(`have exactly that put right: ${key} with ${what}`, () => {
        const plan = planned({ ...situation, source: edited(source, key, { endpoints: edit }) });
        const change: FieldChange = { field, live, wanted };
        assert.deepEqual(fieldChanges(plan), [change]);
        assert.deepEqual(
          plan.changes.map(({ verdict, key }) => `${verdict} ${key}`),
          [`update ${key}`],
        );
      });

  const harmless: [what: string, key: string, edit: Edit<Endpoints>][] = [
    [
      "addresses in another order",
      "shop/web-west",
      withSubsets({ ...toGateway, addresses: [{ ip: "192.0.2.9" }, { ip: "192.0.2.10" }] }),
    ],
    [
      "a subset for each address",
      "shop/web-west",
      withSubsets(
        { ...toGateway, addresses: [{ ip: "192.0.2.9" }] },
        { ...toGateway, addresses: [{ ip: "192.0.2.10", hostname: "" }] },
      ),
    ],
    [
      "an address listed twice, as Linkerd lists one that the link names twice",
      "shop/web-west",
      withSubsets(toGateway, toGateway),
    ],
    [
      "the default protocol left out",
      "shop/web-west",
      withSubsets({ ...toGateway, ports: [{ name: "http", port: 4143 }] }),
    ],
    ["a label of somebody's own", "shop/web-west", withLabels({ tier: "1" })],
    ["an annotation of somebody's own", "shop/web-west", withAnnotations({ a: "b" })],
    [
      "a subset for each pod",
      "shop/db-west",
      withSubsets(
        { addresses: [second], ports: podPorts },
        { addresses: [first], ports: podPorts },
      ),
    ],
  ];
  for (const [what, key, edit] of harmless)
    it(`are left alone with ${what}`, () => {
      const plan = planned({ ...situation, source: edited(source, key, { endpoints: edit }) });
      assert.deepEqual(plan.changes, []);
    });

  it("go where a remote-discovery mirror must not have any", () => {
    const labels = source.services.get("shop/cache-west")?.metadata.labels ?? {};
    const stray = endpoints("shop/cache-west", [], { labels });
    const littered = {
      ...source,
      endpoints: new Map([...source.endpoints, ["shop/cache-west" as const, stray]]),
    };
    const plan = planned({ ...situation, source: littered });
    assert.deepEqual(actions(plan), ["update discovery shop/cache-west"]);
    assert.deepEqual(fieldChanges(plan), [
      { field: "endpoints", live: "none", wanted: "no object" },
    ]);
    assert.deepEqual(reconciled({ ...situation, source: littered }), source);
  });

  it("of a headless mirror follow a pod's mirror that has to be made anew", () => {
    const without = edited(source, "shop/db-1-west", { service: () => undefined });
    const plan = planned({ ...situation, source: without });
    assert.deepEqual(actions(plan), [
      "create endpoint shop/db-1-west",
      "update headless shop/db-west",
    ]);
    assert.deepEqual(fieldChanges(plan), [
      { field: "endpoints", live: db1, wanted: "db-1@new (http 8080/TCP)" },
    ]);
  });
});
