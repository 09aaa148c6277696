import { deepEqual, equal, match } from "node:assert/strict";
import { malformed } from "../../../engine/kubernetes/objects/objects.ts";
import { type Resource, resources } from "../../../engine/kubernetes/objects/resources.ts";
import { errorOf, forEachTest, listError, type Reply } from "./scripted-cluster.ts";

type Item = Readonly<Record<string, unknown>>;

const metadata = { name: "web", namespace: "shop" };
const right = { metadata, spec: { ports: [{ port: 80 }] } };
const withMetadata = (more: Item) => ({ ...right, metadata: { ...metadata, ...more } });
const withPorts = (ports: unknown) => ({ metadata, spec: { ports } });

function listOf(kind: string, ...items: unknown[]): Reply {
  return { body: { kind: `${kind}List`, metadata: {}, items } };
}

describe("what an API server answers with", () => {
  const { open } = forEachTest();
  const listed = async <T>(resource: Resource<T>, ...items: unknown[]) => {
    const { client } = await open(() => listOf(resource.kind, ...items));
    return client.list(resource);
  };

  const notAPort = "spec.ports[].port is not a whole number from 1 to 65535";
  const broken: readonly (readonly [Item, string])[] = [
    [{ metadata }, "spec is missing"],
    [withPorts([{ port: 65_536 }]), notAPort],
    [withPorts({}), "spec.ports is not a list"],
    [withPorts([{ port: 80 }, { port: 81 }]), "spec.ports names a port twice"],
    [withMetadata({ labels: [] }), "metadata.labels is not a map"],
    [withMetadata({ labels: { app: 1 } }), "metadata.labels has a value that is not text"],
    [
      withMetadata({ labels: { "a b": "" } }),
      "metadata.labels has a key that Kubernetes does not allow",
    ],
    [
      withMetadata({ annotations: { a: "x".repeat(262_144) } }),
      "metadata.annotations is longer than 262144 characters",
    ],
  ];
  for (const [service, problem] of broken)
    it(`a Service of which ${problem} is in its list, marked`, async () => {
      const [first, second] = await listed(resources.services, right, service);
      deepEqual([first, first?.[malformed]], [right, undefined]);
      deepEqual([second?.metadata, second?.[malformed]], [metadata, problem]);
    });

  for (const item of [
    ...[null, {}, { metadata: { name: "web" } }],
    ...[withMetadata({ name: "web/x@evil,y" }), withMetadata({ name: "web.x" })],
  ])
    it(`an item ${JSON.stringify(item)} ends the list, as nobody knows what it stands for`, async () => {
      const { error, received } = await listError(() => listOf("Service", right, item));
      match(error.message, /: item 2 of the answer is no Service: (metadata|is not a map)/);
      deepEqual([error.clusterUnavailable, received.length], [true, 1]);
    });

  for (const [resource, more] of [
    [resources.statefulSets, { spec: { replicas: "2" } }],
    [resources.deployments, { status: { readyReplicas: -1 } }],
    [resources.pods, { spec: { containers: [{}] } }],
    [resources.namespaces, { metadata: { name: "shop", deletionTimestamp: "soon" } }],
  ] as readonly (readonly [Resource<unknown>, object])[])
    it(`a malformed ${resource.kind} ends its list, since what it lacks would be taken for a no`, async () => {
      equal((await errorOf(listed(resource, { metadata, ...more }))).kind, "server");
    });

  const remoteRef = { name: "web", namespace: "" };
  for (const [what, more, left] of [
    ["status", { spec: {}, status: { mirrorServices: [{ remoteRef }] } }, { spec: {} }],
    ["spec", { spec: { gatewayPort: 4143 }, status: {} }, { status: {} }],
    ["age", { metadata: { ...metadata, creationTimestamp: "soon" } }, { spec: {} }],
  ] as const)
    it(`a Link with a malformed ${what} is there without it, and so are the others`, async () => {
      const other = { metadata, spec: {} };
      const links = await listed(resources.links, { metadata, ...more }, other);
      deepEqual(JSON.parse(JSON.stringify(links)), [{ metadata, ...left }, other]);
    });

  it("null stands for what is absent, as Go writes it", async () => {
    const item = { metadata: { ...metadata, labels: null }, subsets: null };
    deepEqual(await listed(resources.endpoints, item), [{ metadata }]);
  });

  it("a single object that is malformed is an error", async () => {
    const { client } = await open(() => ({ body: { kind: "Service", metadata } }));
    const { message } = await errorOf(client.get(resources.services, metadata));
    match(message, /the answer is no Service: spec is missing/);
  });

  it("a server's words are shown without what a terminal obeys", async () => {
    const body = { kind: "Status", message: "no\u001b[2J\u202e\nway" };
    const { error } = await listError(() => ({ status: 422, body }));
    match(error.message, /: no\?\[2J\?\?way; /);
  });
});
