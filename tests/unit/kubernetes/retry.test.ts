import assert from "node:assert/strict";
import { resources } from "../../../engine/kubernetes/resources.ts";
import {
  absent,
  errorOf,
  type Reply,
  saved,
  service,
  serviceList,
  status,
  withCluster,
} from "./scripted-cluster.ts";

const overloaded = (seconds: string): Reply => ({
  status: 429,
  headers: { "retry-after": seconds },
  body: { kind: "Status", reason: "TooManyRequests", message: "too many requests" },
});

describe("a request", () => {
  for (const code of [500, 502, 503, 504]) {
    it(`is repeated after ${code}`, () =>
      withCluster(
        (_, index) => (index < 3 ? { status: code } : serviceList([])),
        async ({ client, time }) => {
          await client.list(resources.services);
          assert.deepEqual(time.slept, [50, 100, 200]);
        },
      ));
  }

  it("waits as long as the server asks, and a little more", () =>
    withCluster(
      (_, index) => (index === 0 ? overloaded("7") : serviceList([])),
      async ({ client, time }) => {
        await client.list(resources.services);
        assert.deepEqual(time.slept, [7050]);
      },
    ));

  it("does not wait longer than a call may take", () =>
    withCluster(
      () => overloaded("120"),
      async ({ client, time }) => {
        const error = await errorOf(client.list(resources.services));
        assert.equal(error.kind, "throttled");
        assert(error.clusterUnavailable);
        assert.deepEqual(time.slept, []);
        assert.equal(
          error.message,
          "cluster west is overloaded and did not list services: too many requests; run again later",
        );
      },
    ));

  it("is given up after some attempts", () =>
    withCluster(
      () => status(500, "InternalError", "etcd is away"),
      async ({ client, url, time }) => {
        const error = await errorOf(client.list(resources.services));
        assert.equal(error.kind, "server");
        assert.equal(error.status, 500);
        assert.equal(error.reason, "InternalError");
        assert.equal(error.detail, "etcd is away");
        assert.equal(
          error.message,
          `cluster west failed to list services (status 500) after 8 attempts: etcd is away; check its API server at ${url}`,
        );
        assert.deepEqual(time.slept, [50, 100, 200, 400, 800, 1600, 2500]);
        assert.deepEqual(client.requests, { reads: 8, writes: 0 });
      },
    ));

  it("is given up after some time", () =>
    withCluster(
      () => overloaded("20"),
      async ({ client, time }) => {
        assert.equal((await errorOf(client.list(resources.services))).kind, "throttled");
        assert.deepEqual(time.slept, [20_050, 20_100]);
      },
    ));

  for (const code of [400, 403, 404, 405, 409, 422, 302]) {
    it(`is not repeated after ${code}`, () =>
      withCluster(
        () => ({ status: code }),
        async ({ client, received }) => {
          await errorOf(client.get(resources.services, service("cart").metadata));
          assert.equal(received.length, 1);
        },
      ));
  }

  it("is given up when no answer comes in time, quickly if none ever came", () =>
    withCluster(
      () => "silence",
      async ({ client, time }) => {
        const error = await errorOf(client.list(resources.services));
        assert.equal(error.kind, "unreachable");
        assert.match(error.message, /the response timed out .* after 2 attempts/);
        assert.deepEqual(time.slept, [50]);
      },
      { requestTimeout: 20 },
    ));
});

describe("a write whose outcome is unknown", () => {
  it("that was a create ends as alreadyExists if it had been applied", () => {
    const objects = new Set<string>();
    return withCluster(
      () => {
        if (objects.has("cart")) {
          return status(409, "AlreadyExists", 'services "cart" already exists');
        }
        objects.add("cart");
        return "reset";
      },
      async ({ client, received }) => {
        const error = await errorOf(client.create(resources.services, service("cart")));
        assert.equal(error.kind, "alreadyExists");
        assert.equal(error.message, "Service shop/cart already exists in cluster west; run again");
        assert.equal(received.length, 2);
        assert.deepEqual(client.requests, { reads: 0, writes: 2 });
      },
    );
  });

  it("that was a create succeeds if it had not been applied", () =>
    withCluster(
      (_, index) => (index === 0 ? "reset" : saved(service("cart", { uid: "u1" }))),
      async ({ client }) => {
        const created = await client.create(resources.services, service("cart"));
        assert.equal(created.metadata.uid, "u1");
      },
    ));

  it("that was a replace ends as conflict if it had been applied", () =>
    withCluster(
      (_, index) =>
        index === 0 ? "reset" : status(409, "Conflict", "the object has been modified"),
      async ({ client }) => {
        const call = client.replace(resources.services, service("cart", { resourceVersion: "1" }));
        const error = await errorOf(call);
        assert.equal(error.kind, "conflict");
        assert.equal(
          error.message,
          "Service shop/cart in cluster west was changed by another client before this update: the object has been modified; run again",
        );
      },
    ));

  it("that was a delete ends as notFound if it had been applied", () =>
    withCluster(
      (received, index) => (index === 0 ? "reset" : absent(received)),
      async ({ client }) => {
        const error = await errorOf(client.remove(resources.services, service("cart").metadata));
        assert.equal(error.kind, "notFound");
        assert.equal(
          error.message,
          'cluster west has no Service shop/cart to delete: "cart" not found; run again',
        );
      },
    ));
});
