import { deepEqual, equal, match, ok } from "node:assert/strict";
import { bytesOf } from "../../../engine/kubernetes/objects/checks.ts";
import { link } from "../../../engine/kubernetes/objects/link-resource.ts";
import { type Resource, resources } from "../../../engine/kubernetes/objects/resources.ts";
import { errorOf, forEachTest, listError, type Reply } from "./scripted-cluster.ts";

type Item = Readonly<Record<string, unknown>>;

const metadata = { name: "web", namespace: "shop" };
const right = { metadata, spec: { ports: [{ port: 80 }] } };
const withMetadata = (more: Item) => ({ ...right, metadata: { ...metadata, ...more } });

function listOf(kind: string, ...items: unknown[]): Reply {
  return { body: { kind: `${kind}List`, metadata: {}, items } };
}

describe("an answer of an API server", () => {
  const { open } = forEachTest();
  const { services, statefulSets, namespaces } = resources;
  const longest = { a: "x".repeat(262_144) };
  const broken: Readonly<Record<string, readonly [Resource<unknown>, unknown]>> = {
    "is not a map": [services, null],
    "spec is missing": [services, { metadata }],
    "spec.ports[].port is not a whole number from 1 to 65535": [
      services,
      { metadata, spec: { ports: [{ port: 65_536 }] } },
    ],
    "metadata.name is not a DNS label": [services, withMetadata({ name: "web/x@evil,y" })],
    "metadata.labels is not a map": [services, withMetadata({ labels: [] })],
    "metadata.labels has a key that Kubernetes does not allow": [
      services,
      withMetadata({ labels: { "a b": "" } }),
    ],
    "metadata.annotations is longer than 262144 characters": [
      services,
      withMetadata({ annotations: longest }),
    ],
    "spec.replicas is not a whole number from 0 to 2147483647": [
      statefulSets,
      { metadata, spec: { replicas: "2" } },
    ],
    "metadata.deletionTimestamp is not a time": [
      namespaces,
      { metadata: { name: "shop", deletionTimestamp: "soon" } },
    ],
  };
  for (const [problem, [resource, item]] of Object.entries(broken))
    it(`fails if a list has one invalid ${resource.kind}: ${problem}`, async () => {
      const { client, received } = await open(() => listOf(resource.kind, right, item));
      const { kind, status, message } = await errorOf(client.list(resource));
      deepEqual([kind, status, received.length], ["server", 200, 1]);
      ok(message.includes(`: item 2 of the answer is not a valid ${resource.kind}: ${problem};`));
    });

  it("may have null for an absent field, as Go encodes it", async () => {
    const item = { metadata: { ...metadata, labels: null }, subsets: null };
    const { client } = await open(() => listOf("Endpoints", item));
    deepEqual(await client.list(resources.endpoints), [{ metadata }]);
  });

  it("keeps unknown fields of the entries in a Link's status", async () => {
    const at = { lastTransitionTime: "2026-01-01T00:00:00Z", message: "", reason: "a" };
    const condition = { type: "Mirrored", status: "True", ...at, observedGeneration: 7 };
    const entry = { controllerName: "c", remoteRef: metadata, conditions: [condition], zone: "a" };
    const item = { metadata, status: { mirrorServices: [entry] } };
    const { client } = await open(() => listOf("Link", { ...item, other: 1 }));
    deepEqual(await client.list(resources.links), [item]);
    const { zone: _, ...known } = entry;
    const without = { metadata, status: { mirrorServices: [known] } };
    equal(bytesOf(link, item) > bytesOf(link, without), true);
  });

  it("fails if a single object is not valid", async () => {
    const { client } = await open(() => ({ body: { kind: "Service", metadata } }));
    const { message } = await errorOf(client.get(resources.services, metadata));
    match(message, /the answer is not a valid Service: spec is missing/);
  });

  it("is quoted without control characters", async () => {
    const body = { kind: "Status", message: "no\u001b[2J\u202e\nway" };
    const { error } = await listError(() => ({ status: 422, body }));
    match(error.message, /: no\?\[2J\?\?way; /);
  });
});
