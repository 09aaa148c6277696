import assert from "node:assert/strict";

import { Agent } from "undici";

import type { BedCluster } from "../../bed/bed.ts";
import { addLinkCrd } from "../../bed/links.ts";
import { ApiServer } from "../../simulation/api-server.ts";
import { type Last, Recorder, type Step } from "../recorder.ts";
import { emptyBed } from "./shared-bed.ts";

const port = { name: "http", port: 80 };
const https = { name: "https", port: 443 };
const [one, two] = ["192.0.2.1", "192.0.2.2"];

const service = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { ports: [port], ...spec },
});
function create(name: string, spec: object = {}, metadata: object = {}): Step {
  return ["POST", "services", service(name, spec, metadata)];
}
function replace(spec: object, metadata: object = {}): Step {
  return ["PUT", "services/web", service("web", spec, metadata)];
}
function patch(change: Readonly<Record<string, unknown>>): Step {
  return ["PATCH", "services/web", change];
}
const get: Step = ["GET", "services/web"];
const remove: Step = ["DELETE", "services/web"];

const subset = (ips: readonly string[], ports: readonly object[] = [port]) => ({
  addresses: ips.map((ip) => ({ ip })),
  ports,
});
function endpoints(name: string, ...subsets: readonly object[]): Step {
  return ["POST", "endpoints", { metadata: { name }, subsets }];
}

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
    replace({ clusterIP: "None" }),
    patch({ spec: { clusterIP: null } }),
    patch({ spec: { clusterIP: "None" } }),
  ],
  "Endpoints keep their subsets, are refused without addresses, and deleted with their Service": [
    endpoints("a"),
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
    ["DELETE", "services/web", { preconditions: { resourceVersion: "1" } }],
    ["DELETE", "services/web", { preconditions: { uid: "other" } }],
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
    ["DYING", "services/web"],
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
    ["GET", "services?labelSelector=!app"],
    ["GET", "services?labelSelector=app%3Da,tier"],
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
 * - It knows no selectors by sets, no authorization besides the token, and no API group but those of kinds.ts.
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
        new Recorder(real, server, token).answersTo(steps, `test-${index}`),
        new Recorder(simulated, "https://simulated.test", "any").answersTo(steps, `test-${index}`),
      ]);
      assert.deepEqual(actual, expected);
    });
});
