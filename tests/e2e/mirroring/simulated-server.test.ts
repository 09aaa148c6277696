import assert from "node:assert/strict";

import { Agent } from "undici";

import { type Bed, startBed, until } from "../../bed/bed.ts";
import { addLinkCrd } from "../../bed/links.ts";
import { ApiServer } from "../../simulation/api-server.ts";
import type { Stored } from "../../simulation/objects.ts";
import { Recorder } from "../recorder.ts";

/** The object of that name as the server last returned it. */
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
const ports = [port];
const of =
  (plural: string) =>
  (name: string, fields: object = {}, metadata: object = {}) => ({
    metadata: { name, ...metadata },
    ...(plural === "services" ? { spec: { ports, ...fields } } : fields),
  });
const service = of("services");
const endpoints = (name: string, subsets: readonly object[]) => of("endpoints")(name, { subsets });
const labelled = (labels: object, name = "web") => service(name, {}, { labels });
const subset = (addresses: readonly string[], of: readonly object[] = ports) => ({
  addresses: addresses.map((ip) => ({ ip })),
  ports: of,
});
const [one, two] = ["192.0.2.1", "192.0.2.2"];
const https = { name: "https", port: 443 };
const metadataOf = (last: Last) => last("web").metadata;
const versioned = (change: object) => (last: Last) =>
  service("web", {}, { resourceVersion: metadataOf(last).resourceVersion, ...change });
const withoutManager = (name: string) => (last: Last) => {
  const { managedFields, resourceVersion } = metadataOf(last);
  const kept = (managedFields as { manager: string }[]).filter(({ manager }) => manager !== name);
  return { metadata: { resourceVersion, managedFields: kept } };
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
    ["POST", "services", service("web")],
    ["POST", "services", service("db", { clusterIP: "None", selector: { a: "b" } })],
    [
      "POST",
      "services",
      service("dns", { ports: [{ port: 53, protocol: "UDP", targetPort: "d" }] }),
    ],
    ["PUT", "services/web", service("web", { ports: [{ ...port, port: 81 }] })],
    ["PUT", "services/web", service("web", { clusterIP: "10.100.77.77" })],
    ["PUT", "services/web", service("web", { clusterIP: "None" })],
    ["PATCH", "services/web", { spec: { clusterIP: null } }],
    ["PATCH", "services/web", { spec: { clusterIP: "None" } }],
    ["PUT", "services/db", service("db", { clusterIP: "10.100.77.77" })],
    ["GET", "services/web"],
  ],
  "Endpoints are merged by ports, refused without addresses, and deleted with their Service": [
    ["POST", "endpoints", endpoints("a", [])],
    ["POST", "endpoints", endpoints("b", [subset([two, one, one])])],
    ["POST", "endpoints", endpoints("c", [subset([one]), subset([two])])],
    ["POST", "endpoints", endpoints("d", [subset([one, two]), subset([two], [https])])],
    [
      "POST",
      "endpoints",
      endpoints("e", [subset([one], [https, port]), subset([two], [port, https])]),
    ],
    ["POST", "endpoints", endpoints("f", [subset(["2001:db8::10", one]), subset([two], [])])],
    ["POST", "endpoints", endpoints("g", [{ notReadyAddresses: [{ ip: one }], ports }])],
    ["POST", "endpoints", endpoints("web", [{ ports }])],
    ["POST", "services", service("web")],
    ["POST", "endpoints", endpoints("web", [subset([one, two])])],
    ["PUT", "endpoints/web", endpoints("web", [subset([two]), subset([one])])],
    ["PUT", "endpoints/web", endpoints("web", [])],
    ["DELETE", "services/web"],
    ["GONE", "endpoints/web"],
  ],
  "requests are refused whose object is absent, exists, or isn't served": [
    ["POST", "/api/v1/namespaces/NS-none/services", service("web")],
    ["GET", "/api/v1/namespaces/NS-none/services/web"],
    ["GET", "/api/v1/namespaces/NS-none/services"],
    ["POST", "services", service("web")],
    ["POST", "services", service("web")],
    ["POST", "/api/v1/namespaces", { metadata: { name: "NS" } }],
    ["GET", "services/none"],
    ["PATCH", "services/none", { metadata: { labels: { a: "b" } } }],
    ["DELETE", "services/none", { preconditions: { uid: "other" } }],
    ["PUT", "services/none", service("none", {}, { uid: "other", resourceVersion: "1" })],
    ["PUT", "endpoints/none", of("endpoints")("none", { subsets: [] }, { uid: "other" })],
    ["GET", "/api/v1/namespaces/NS/none"],
    ["GET", "/apis/none.example.org/v1/nones"],
  ],
  "preconditions hold for replacing, patching and deleting": [
    ["POST", "services", service("web")],
    ["PUT", "services/web", versioned({ labels: { a: "b" } })],
    ["PUT", "services/web", versioned({ labels: { a: "c" }, resourceVersion: "1" })],
    ["PUT", "services/web", service("web", {}, { uid: "other" })],
    ["PATCH", "services/web", { metadata: { resourceVersion: "1", labels: { a: "d" } } }],
    ["DELETE", "services/web", { preconditions: { resourceVersion: "1" } }],
    ["DELETE", "services/web", { preconditions: { uid: "other" } }],
    ["GET", "services/web"],
    ["DELETE", "services/web", (last) => ({ preconditions: { uid: metadataOf(last).uid } })],
    ["GET", "services/web"],
  ],
  "writes replace and merge, and create no version where nothing changes": [
    [
      "POST",
      "services",
      service("web", { selector: { app: "web" } }, { labels: { a: "b", c: "d" } }),
    ],
    ["PUT", "services/web", (last) => last("web")],
    ["PATCH", "services/web", { metadata: { labels: { a: "b", none: null } } }],
    [
      "PATCH",
      "services/web",
      { metadata: { labels: { a: null, g: "h" } }, spec: { selector: null } },
    ],
    ["PATCH", "services/web", { spec: { ports: [{ name: "other", port: 81 }] } }],
    ["PATCH", "services/web", { status: { loadBalancer: { ingress: [{ ip: one }] } } }],
    ["PATCH", "services/web", { metadata: { labels: null, annotations: {} } }],
    ["PUT", "services/web", service("web")],
    ["POST", "configmaps", { metadata: { name: "values" }, data: { a: "b" } }],
  ],
  "finalizers hold objects back": [
    ["POST", "services", service("web", {}, { finalizers: ["example.org/a", "example.org/b"] })],
    ["DELETE", "services/web"],
    ["GET", "services/web"],
    ["DELETE", "services/web"],
    ["POST", "services", service("web")],
    ["PATCH", "services/web", { metadata: { finalizers: ["example.org/b"] } }],
    ["PATCH", "services/web", { metadata: { deletionTimestamp: null } }],
    ["PATCH", "services/web", { metadata: { finalizers: null } }],
    ["GET", "services/web"],
  ],
  "a terminating namespace takes nothing new": [
    ["POST", "services", service("held", {}, { finalizers: ["example.org/a"] })],
    ["POST", "services", service("other")],
    ["DELETE", "/api/v1/namespaces/NS"],
    ["POST", "services", service("late")],
    ["POST", "endpoints", endpoints("late", [])],
    ["GONE", "services/other"],
    ["PATCH", "services/held", { metadata: { labels: { a: "b" } } }],
    ["PATCH", "services/held", { metadata: { finalizers: null } }],
    ["GONE", "/api/v1/namespaces/NS"],
    ["POST", "services", service("late")],
  ],
  "lists show one state page by page, in order, and by labels": [
    ...["a", "b", "c", "d", "e"].map((name): Step => ["POST", "services", service(name)]),
    ["GET", "services?limit=2"],
    ["DELETE", "services/c"],
    ["POST", "services", labelled({ app: "a", tier: "x" }, "bb")],
    ["GET", "services?limit=2&continue="],
    ["GET", "services?limit=2&continue="],
    ["GET", "services"],
    ["GET", "services?limit=2&continue=word"],
    ["GET", "services?limit=5"],
    ["POST", "/api/v1/namespaces", { metadata: { name: "NS-z" } }],
    ["POST", "/api/v1/namespaces/NS-z/services", labelled({ app: "NS" }, "a-1")],
    ["POST", "services", labelled({ app: "NS" }, "a-1")],
    ["GET", "/api/v1/services?labelSelector=app%3DNS"],
    ...[
      "app=a",
      "app!=a",
      "!app",
      "app in (a,b),tier",
      "app notin (a)",
      "app=a=b",
      "app,,tier",
    ].map((selector): Step => ["GET", `services?labelSelector=${encodeURIComponent(selector)}`]),
  ],
  "managed fields name who writes which labels": [
    ["POST", "services?fieldManager=a", labelled({ x: "1", y: "1" })],
    ["PUT", "services/web?fieldManager=b", labelled({ x: "2", y: "1" })],
    ["PUT", "services/web?fieldManager=c", labelled({ x: "2" })],
    ["PATCH", "services/web", { metadata: { labels: { y: "1" }, annotations: { z: "1" } } }],
    [
      "PATCH",
      "services/web/status",
      { status: { loadBalancer: {} }, metadata: { labels: { z: "2" } } },
    ],
    ["GET", "services/web"],
    ["PATCH", "services/web", withoutManager("c")],
    ["PATCH", "services/web", { metadata: { managedFields: [{}] } }],
    ["PUT", "services/web?fieldManager=b", labelled({ x: "3" })],
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

  let bed: Bed<"west">;
  let real: Agent;
  const simulated = new ApiServer("west");

  before(async () => {
    bed = await startBed({ clusters: ["west"], runs: "controllers" });
    real = new Agent({ connect: { ca: bed.clusters.west.access.authority } });
    await addLinkCrd(bed.clusters.west);
  });
  after(async () => {
    await real.close();
    await bed.stop();
  });

  for (const [index, [what, steps]] of Object.entries(script).entries())
    it(what, async () => {
      const { server, token } = bed.clusters.west.access;
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
