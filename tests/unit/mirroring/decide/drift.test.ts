import { deepEqual, fail, match } from "node:assert/strict";
import { serviceManifest } from "../../../../engine/mirroring/apply/objects.ts";
import type {
  Endpoints,
  EndpointSubset,
  Service,
} from "../../../../engine/kubernetes/objects/objects.ts";
import {
  byUs,
  type Edit,
  edited,
  withAnnotations,
  withLabels,
  withSpec,
  withSubsets,
} from "../../fixtures/edited.ts";
import { known, west } from "../../fixtures/link.ts";
import { marked, ourManager, written } from "../../fixtures/marks.ts";
import { endpoints, exported, headless, http, pods } from "../../fixtures/objects.ts";
import { actions, fieldChanges, planned, reconciled } from "../../fixtures/reconcile.ts";

type Edits = Parameters<typeof edited>[2];

const scenario = {
  gateway: known({ addresses: ["192.0.2.10", "192.0.2.9"] }),
  target: west(
    [
      exported("shop/web", { labels: { app: "web" }, annotations: { team: "shop" } }),
      headless("shop/db"),
    ],
    [endpoints("shop/db", [pods(["db-0", "db-1"])])],
  ),
};
const source = await reconciled(scenario);
const planWith = (key: string, edits: Edits) =>
  planned({ ...scenario, source: edited(source, key, edits) });

const to = (...ips: string[]) => ips.map((ip) => ({ ip }));
const gatewayPort = { name: "http", protocol: "TCP", port: 4143 };
const web = (other: EndpointSubset): Edits => ({
  endpoints: withSubsets({
    addresses: to("192.0.2.10", "192.0.2.9"),
    ports: [gatewayPort],
    ...other,
  }),
});
const db = (...addresses: NonNullable<EndpointSubset["addresses"]>): Edits => ({
  endpoints: withSubsets({ addresses, ports: [{ name: "http", protocol: "TCP", port: 8080 }] }),
});
const first = { ip: "10.96.0.1", hostname: "db-0" };
const [to10, to9] = ["192.0.2.10 (http 4143/TCP)", "192.0.2.9 (http 4143/TCP)"];
const [both, db1] = [`${to10}, ${to9}`, "db-1@10.96.0.2 (http 8080/TCP)"];
const gone: Edits = { endpoints: () => undefined };
const unlisted = ({ metadata }: Endpoints) => ({ metadata });
const named = [{ ip: "192.0.2.10" }, { ip: "192.0.2.9", hostname: "gw" }];
const unready = { addresses: to("192.0.2.9"), notReadyAddresses: to("192.0.2.10") };

const version = "mirror.linkerd.io/remote-resource-version";
const fqName = "mirror.linkerd.io/remote-svc-fq-name";
const port = "http 80→8080/TCP";
const service = (service: Edit<Service>): Edits => ({ service });
const ports = (...ports: NonNullable<Service["spec"]["ports"]>) => service(withSpec({ ports }));
const labels = (changes: Parameters<typeof withLabels>[0]) => service(withLabels(changes));
const annotations = (changes: Parameters<typeof withAnnotations>[0]) =>
  service(withAnnotations(changes));
const tier = { tier: "" };

/** The report names only the addresses in Endpoints that are added or removed. */
type Row = [Edits, field: string, live: string, wanted: string];

const tables: Record<string, Row[]> = {
  "shop/web-west": [
    [service(withSpec({ type: "NodePort" })), "type", "NodePort", "ClusterIP"],
    [service(withSpec({ selector: { b: "2", a: "1" } })), "selector", "a=1, b=2", "none"],
    [service(withSpec({ externalIPs: ["192.0.2.1"] })), "externalIPs", "192.0.2.1", "none"],
    [service(withSpec({ externalName: "a.example" })), "externalName", "a.example", "none"],
    [
      service(withSpec({ internalTrafficPolicy: "Local" })),
      "internalTrafficPolicy",
      "Local",
      "Cluster",
    ],
    [service(withSpec({ loadBalancerIP: "192.0.2.1" })), "loadBalancerIP", "192.0.2.1", "none"],
    [
      service(withSpec({ publishNotReadyAddresses: true })),
      "publishNotReadyAddresses",
      "true",
      "false",
    ],
    [service(withSpec({ sessionAffinity: "ClientIP" })), "sessionAffinity", "ClientIP", "None"],
    [
      service(withSpec({ trafficDistribution: "PreferClose" })),
      "trafficDistribution",
      "PreferClose",
      "none",
    ],
    [ports(), "ports", "none", port],
    [ports({ ...http, appProtocol: "x" }), "ports", `${port} as x`, port],
    [ports(http, { port: 90 }), "ports", `90/TCP, ${port}`, port],
    [labels({ app: "db" }), "label app", '"db"', '"web"'],
    [labels({ app: undefined }), "label app", "none", '"web"'],
    [service(byUs(withLabels(tier))), "label tier", '""', "none"],
    [annotations({ team: "a" }), "annotation team", '"a"', '"shop"'],
    [service(byUs(withAnnotations(tier))), "annotation tier", '""', "none"],
    [gone, "endpoints", "no object", both],
    [{ endpoints: unlisted }, "endpoints", "none", both],
    [web({ addresses: to("192.0.2.9") }), "endpoints", "none", to10],
    [
      web({ addresses: to("192.0.2.10", "192.0.2.9", "10.0.0.1") }),
      "endpoints",
      "10.0.0.1 (http 4143/TCP)",
      "none",
    ],
    [web(unready), "endpoints", `${to10} not ready`, to10],
    [
      web({ ports: [{ ...gatewayPort, protocol: "UDP" }] }),
      "endpoints",
      both.replaceAll("TCP", "UDP"),
      both,
    ],
    [
      web({ ports: [{ protocol: "TCP", port: 4143 }] }),
      "endpoints",
      both.replaceAll("http ", ""),
      both,
    ],
    [web({ addresses: named }), "endpoints", `gw@${to9}`, to9],
    [{ endpoints: withLabels({ app: "db" }) }, "endpoints label app", '"db"', '"web"'],
    [{ endpoints: byUs(withLabels(tier)) }, "endpoints label tier", '""', "none"],
    [{ endpoints: byUs(withAnnotations(tier)) }, "endpoints annotation tier", '""', "none"],
    [
      { endpoints: withAnnotations({ [fqName]: "old" }) },
      `endpoints annotation ${fqName}`,
      '"old"',
      '"web.shop.svc.cluster.local"',
    ],
  ],
  "shop/db-west": [
    [annotations({ [version]: "0" }), `annotation ${version}`, '"0"', '"1"'],
    [ports({ ...http, port: 81 }), "ports", "http 81→8080/TCP", port],
    [db(first), "endpoints", "none", db1],
    [db(first, { ip: "10.96.0.9", hostname: "db-1" }), "endpoints", db1.replace("0.2", "0.9"), db1],
    // As Linkerd's controller writes it.
    [web({}), "endpoints", both, `db-0@10.96.0.1 (http 8080/TCP), ${db1}`],
  ],
};

describe("a mirror that was edited by hand", () => {
  for (const [key, rows] of Object.entries(tables))
    for (const [edits, field, live, wanted] of rows)
      it(`is repaired exactly there: ${key} with ${field} ${live} for ${wanted}`, () => {
        deepEqual(
          planWith(key, edits).changes.map(({ verdict, key, fields }) => [verdict, key, fields]),
          [["update", key, [{ field, live, wanted }]]],
        );
      });

  it("names the last writer of what differs, unless it is this program", () => {
    const key = "shop/web-west";
    const by = (manager: string, edit: Edit<Service>) => (object: Service) =>
      written(manager, edit(object) ?? object, object);
    const live = marked(source.services.get(key) ?? fail(), ourManager);
    const edits = [
      by("kyverno", withSpec({ internalTrafficPolicy: "Local" })),
      by("other", withAnnotations({ team: "a" })),
      by(ourManager, withLabels({ app: "b" })),
    ];
    const { changes } = planWith(
      key,
      service(() => edits.reduce((object, edit) => edit(object), live)),
    );
    deepEqual(
      changes.flatMap(({ fields }) => fields.map(({ field, writer }) => [field, writer?.manager])),
      [
        ["internalTrafficPolicy", "kyverno"],
        ["label app", undefined],
        ["annotation team", "other"],
      ],
    );
  });

  it("loses what only a load balancer can have with its type, and keeps unknown fields", () => {
    const spec = {
      type: "LoadBalancer",
      loadBalancerSourceRanges: ["192.0.2.0/24"],
      future: 1,
      allocateLoadBalancerNodePorts: true,
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 30_000,
      loadBalancerClass: "a",
      sessionAffinityConfig: {},
    };
    const wanted = planned(scenario).wanted.find(({ name }) => name === "web-west") ?? fail();
    const live = { metadata: { namespace: "shop", name: "web-west" }, spec };
    const sent = serviceManifest(wanted, live).spec;
    deepEqual(sent, { type: "ClusterIP", ports: wanted.ports, future: 1 });
  });

  it("shows a long value by its beginning and length", () => {
    const plan = planWith("shop/web-west", labels({ app: "x".repeat(200) }));
    match(fieldChanges(plan)[0]?.live ?? "", /^"x+… \(202 characters\)$/);
  });

  it("is replaced if it lost its address or got one, since Kubernetes can't change that", () => {
    const lost = planWith("shop/web-west", service(withSpec({ clusterIP: "None" })));
    deepEqual(actions(lost), ["replace gateway shop/web-west"]);
    deepEqual(fieldChanges(lost), [{ field: "clusterIP", live: "None", wanted: "an address" }]);
    const got = planWith("shop/db-west", service(withSpec({ clusterIP: "10.96.9.9" })));
    deepEqual(actions(got), ["replace headless shop/db-west"]);
    deepEqual(fieldChanges(got), [{ field: "clusterIP", live: "an address", wanted: "None" }]);
  });

  it("updates a headless mirror's Endpoints after a pod's mirror is recreated", () => {
    const plan = planWith("shop/db-1-west", { service: () => undefined });
    deepEqual(actions(plan), ["create endpoint shop/db-1-west", "update headless shop/db-west"]);
    deepEqual(fieldChanges(plan), [
      { field: "endpoints", live: db1, wanted: "db-1@new (http 8080/TCP)" },
    ]);
  });

  const harmless: Record<string, Edits> = {
    "another resource version of the exported Service": annotations({ [version]: "0" }),
    "another address": service(withSpec({ clusterIP: "10.96.7.7" })),
    "its default type left out": service(({ spec: { type: _, ...spec }, ...rest }) => ({
      ...rest,
      spec,
    })),
    "an empty selector": service(withSpec({ selector: {} })),
    "the API's defaults": service(
      withSpec({
        externalIPs: [],
        internalTrafficPolicy: "Cluster",
        publishNotReadyAddresses: false,
        sessionAffinity: "None",
      }),
    ),
    "its default protocol left out": ports({ name: "http", port: 80, targetPort: 8080 }),
    "a node port": ports({ ...http, nodePort: 30080 }),
    "the gateway's addresses in another order": web({ addresses: to("192.0.2.9", "192.0.2.10") }),
    "the default protocol of its Endpoints left out": web({
      ports: [{ name: "http", port: 4143 }],
    }),
    "labels of somebody's own": {
      service: withLabels({ tier: "", constructor: "x" }),
      endpoints: withLabels({ tier: "1" }),
    },
    "annotations of somebody's own": {
      service: withAnnotations({ note: "x" }),
      endpoints: withAnnotations({ a: "b" }),
    },
  };
  for (const [what, edits] of Object.entries(harmless))
    it(`is left alone with ${what}`, () => {
      deepEqual(planWith("shop/web-west", edits).changes, []);
    });
});
