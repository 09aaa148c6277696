import assert from "node:assert/strict";

import { Agent } from "undici";

import { type BedCluster, until } from "../../bed/bed.ts";
import { addLinkCrd } from "../../bed/links.ts";
import { ApiServer } from "../../simulation/api-server.ts";
import type { Stored } from "../../simulation/objects.ts";
import { Recorder } from "../recorder.ts";
import { emptyBed } from "./shared-bed.ts";

/** Returns the object of that name as the server last returned it. */
type Last = (name: string) => Stored;

/**
 * A request: PATCH is a JSON merge patch; GONE waits until a GET returns 404. Paths are in
 * the namespace of the test, which is NS in a body. `continue` in a query is the token of the list before.
 */
type Step = readonly [
  verb: "DELETE" | "GET" | "GONE" | "PATCH" | "POST" | "PUT",
  path: string,
  body?: Readonly<Record<string, unknown>> | ((last: Last) => object),
];

const port = { name: "http", port: 80 };
const https = { name: "https", port: 443 };
const [one, two] = ["192.0.2.1", "192.0.2.2"];

const service = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { ports: [port], ...spec },
});
const create = (name: string, spec: object = {}, metadata: object = {}): Step => [
  "POST",
  "services",
  service(name, spec, metadata),
];
const replace = (spec: object, metadata: object = {}): Step => [
  "PUT",
  "services/web",
  service("web", spec, metadata),
];
const patch = (change: Readonly<Record<string, unknown>>): Step => [
  "PATCH",
  "services/web",
  change,
];
const get: Step = ["GET", "services/web"];
const remove: Step = ["DELETE", "services/web"];
const removeIf = (preconditions: object): Step => ["DELETE", "services/web", { preconditions }];

const subset = (ips: readonly string[], ports: readonly object[] = [port]) => ({
  addresses: ips.map((ip) => ({ ip })),
  ports,
});
const endpoints = (name: string, ...subsets: readonly object[]): Step => [
  "POST",
  "endpoints",
  { metadata: { name }, subsets },
];

const versionOf = (last: Last) => ({ resourceVersion: last("web").metadata.resourceVersion });
const withoutManager = (name: string) => (last: Last) => {
  const { managedFields } = last("web").metadata;
  const kept = (managedFields as { manager: string }[]).filter(({ manager }) => manager !== name);
  return { metadata: { ...versionOf(last), managedFields: kept } };
};

const condition = {
  type: "Mirrored",
  status: "True",
  reason: "Mirrored",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const remoteRef = { group: "core", kind: "Service", name: "web", namespace: "shop" };
const mirrored = { mirrorServices: [{ controllerName: "c", remoteRef, conditions: [condition] }] };
const link = { metadata: { name: "west" }, spec: { targetClusterName: "west" } };

const script: Readonly<Record<string, readonly Step[]>> = {
  "Services get defaults, and keep their ClusterIP": [
    create("web"),
    create("db", { clusterIP: "None", selector: { a: "b" } }),
    create("dns", { ports: [{ port: 53, protocol: "UDP", targetPort: "d" }] }),
    replace({ ports: [https] }),
    replace({ clusterIP: "10.100.77.77" }),
    replace({ clusterIP: "None" }),
    patch({ spec: { clusterIP: null } }),
    patch({ spec: { clusterIP: "None" } }),
    ["PUT", "services/db", service("db", { clusterIP: "10.100.77.77" })],
    get,
  ],
  "Endpoints keep their subsets, are refused without addresses, and deleted with their Service": [
    endpoints("a"),
    endpoints("b", subset([two, one, one])),
    endpoints("c", subset([one, two]), subset([two], [https, port])),
    endpoints("d", subset(["2001:db8::10", one]), subset([two], [])),
    endpoints("e", { notReadyAddresses: [{ ip: one }], ports: [port] }),
    endpoints("web", { ports: [port] }),
    create("web"),
    endpoints("web", subset([one, two])),
    ["PUT", "endpoints/web", { metadata: { name: "web" }, subsets: [] }],
    remove,
    ["GONE", "endpoints/web"],
  ],
  "requests are refused whose object is absent, exists, or isn't served": [
    ["POST", "/api/v1/namespaces/NS-none/services", service("web")],
    ["GET", "/api/v1/namespaces/NS-none/services"],
    create("web"),
    create("web"),
    ["POST", "/api/v1/namespaces", { metadata: { name: "NS" } }],
    ["GET", "services/none"],
    ["PATCH", "services/none", { metadata: { labels: { a: "b" } } }],
    ["DELETE", "services/none", { preconditions: { uid: "other" } }],
    ["PUT", "services/none", service("none", {}, { uid: "other", resourceVersion: "1" })],
    ["GET", "/api/v1/namespaces/NS/none"],
    ["GET", "/apis/none.example.org/v1/nones"],
  ],
  "preconditions hold for replacing, patching and deleting": [
    create("web"),
    [
      "PUT",
      "services/web",
      (last) => service("web", {}, { ...versionOf(last), labels: { a: "b" } }),
    ],
    replace({}, { labels: { a: "c" }, resourceVersion: "1" }),
    replace({}, { uid: "other" }),
    patch({ metadata: { resourceVersion: "1", labels: { a: "d" } } }),
    removeIf({ resourceVersion: "1" }),
    removeIf({ uid: "other" }),
    get,
    ["DELETE", "services/web", (last) => ({ preconditions: { uid: last("web").metadata.uid } })],
    get,
  ],
  "writes replace and merge, and create no version where nothing changes": [
    create("web", { selector: { app: "web" } }, { labels: { a: "b", c: "d" } }),
    ["PUT", "services/web", (last) => last("web")],
    patch({ metadata: { labels: { a: "b", none: null } } }),
    patch({ metadata: { labels: { a: null, g: "h" } }, spec: { selector: null } }),
    patch({ spec: { ports: [{ name: "other", port: 81 }] } }),
    patch({ status: { loadBalancer: { ingress: [{ ip: one }] } } }),
    patch({ metadata: { labels: null, annotations: {} } }),
    replace({}),
    ["POST", "configmaps", { metadata: { name: "values" }, data: { a: "b" } }],
  ],
  "finalizers hold objects back": [
    create("web", {}, { finalizers: ["example.org/a", "example.org/b"] }),
    remove,
    get,
    remove,
    create("web"),
    patch({ metadata: { finalizers: ["example.org/b"] } }),
    patch({ metadata: { deletionTimestamp: null } }),
    patch({ metadata: { finalizers: null } }),
    get,
  ],
  "a terminating namespace takes nothing new, and loses what it holds": [
    create("web", {}, { finalizers: ["example.org/a"] }),
    create("other"),
    ["DELETE", "/api/v1/namespaces/NS"],
    create("late"),
    endpoints("late"),
    ["GONE", "services/other"],
    patch({ metadata: { labels: { a: "b" } } }),
    patch({ metadata: { finalizers: null } }),
    get,
  ],
  "lists show one state page by page, in order, and by labels": [
    ...["a", "b", "c", "d", "e"].map((name) => create(name)),
    ["GET", "services?limit=2"],
    ["DELETE", "services/c"],
    create("bb", {}, { labels: { app: "a", tier: "x" } }),
    ["GET", "services?limit=2&continue="],
    ["GET", "services?limit=2&continue="],
    ["GET", "services"],
    ["GET", "services?limit=2&continue=word"],
    ["POST", "/api/v1/namespaces", { metadata: { name: "NS-z" } }],
    ["POST", "/api/v1/namespaces/NS-z/services", service("a-1", {}, { labels: { app: "NS" } })],
    create("a-1", {}, { labels: { app: "NS" } }),
    ["GET", "/api/v1/services?labelSelector=app%3DNS"],
    ...["app!=a", "!app", "app in (a,b),tier", "app notin (a)", "app=a=b"].map((selector): Step => [
      "GET",
      `services?labelSelector=${encodeURIComponent(selector)}`,
    ]),
  ],
  "managed fields name who writes which labels": [
    ["POST", "services?fieldManager=a", service("web", {}, { labels: { x: "1", y: "1" } })],
    ["PUT", "services/web?fieldManager=b", service("web", {}, { labels: { x: "2", y: "1" } })],
    ["PUT", "services/web?fieldManager=c", service("web", {}, { labels: { x: "2" } })],
    patch({ metadata: { labels: { y: "1" }, annotations: { z: "1" } } }),
    [
      "PATCH",
      "services/web/status",
      { status: { loadBalancer: {} }, metadata: { labels: { z: "2" } } },
    ],
    get,
    ["PATCH", "services/web", withoutManager("c")],
    patch({ metadata: { managedFields: [{}] } }),
    ["PUT", "services/web?fieldManager=b", service("web", {}, { labels: { x: "3" } })],
  ],
  "Links have a status of their own": [
    ["POST", "links", { ...link, status: mirrored }],
    ["PATCH", "links/west", { status: mirrored }],
    ["PATCH", "links/west/status", { status: mirrored, spec: { targetClusterName: "other" } }],
    ["PATCH", "links/west/status", { status: mirrored }],
    ["PATCH", "links/none/status", { status: mirrored }],
    ["PUT", "links/west/status", (last) => ({ ...last("west"), status: {} })],
    ["DELETE", "links/west"],
    ["GET", "links"],
  ],
};

/*
 * Where the simulated server differs on purpose:
 * - It does at once what controllers do: Endpoints are deleted with their Service, and a namespace with its content.
 * - UIDs, versions, addresses, node ports and times are others. Its clock stands still.
 * - Of a message, only the field and the kind of objection are the same, not the words.
 * - Lists in managed fields are one field.
 * - It is for programs that send valid objects: it takes any name, label, port, address and status.
 * - There is no authorization besides the token, and no API group but those of kinds.ts.
 */
describe("the simulated API server answers like a real one:", function () {
  this.timeout("20m");

  let cluster: BedCluster;
  let real: Agent;
  const simulated = new ApiServer("north");

  before(async () => {
    cluster = (await emptyBed()).bed.clusters.north;
    real = new Agent({ connect: { ca: cluster.access.authority } });
    await addLinkCrd(cluster);
  });
  after(() => real.close());

  for (const [index, [what, steps]] of Object.entries(script).entries())
    it(what, async () => {
      const { server, token } = cluster.access;
      const [expected, actual] = await Promise.all([
        answersTo(steps, `test-${index}`, new Recorder(real, server, token)),
        answersTo(steps, `test-${index}`, new Recorder(simulated, "https://simulated.test", "any")),
      ]);
      assert.deepEqual(actual, expected);
    });
});

/** Each request with its answer. */
async function answersTo(steps: readonly Step[], namespace: string, server: Recorder) {
  const last = new Map<string, Stored>();
  const found: Last = (name) => last.get(name) ?? assert.fail(`there is no ${name} yet`);
  let next = "";
  const answers: unknown[] = [];
  await server.send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  for (const [verb, relative, content] of steps) {
    const group = relative.startsWith("links")
      ? "/apis/multicluster.linkerd.io/v1alpha3"
      : "/api/v1";
    const absolute = relative.startsWith("/")
      ? relative.replaceAll("NS", namespace)
      : `${group}/namespaces/${namespace}/${relative}`;
    const path = absolute.replace(/continue=$/, `continue=${encodeURIComponent(next)}`);
    if (verb === "GONE") {
      await until(`the end of ${path}`, [], async () => {
        return (await server.send("GET", path)).code === 404 || undefined;
      });
      continue;
    }
    const draft = typeof content === "function" ? content(found) : content;
    const body = draft && (JSON.parse(JSON.stringify(draft).replaceAll("NS", namespace)) as object);
    const answer = await server.send(verb, path, body);
    if (answer.code < 300 && verb !== "DELETE") {
      const { name, continue: token = next } = answer.content.metadata;
      last.set(name, answer.content);
      next = String(token);
    }
    answers.push([verb, relative, answer.code, answer.shown]);
  }
  return answers;
}
