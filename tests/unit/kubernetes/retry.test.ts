import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { systemTime } from "../../../engine/kubernetes/client/retry.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import {
  absent,
  errorOf,
  listError,
  listing,
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
  for (const code of [500, 502, 503, 504])
    it(`is repeated after ${code}`, async () => {
      const { time } = await listing((_, index) =>
        index < 3 ? { status: code } : serviceList([]),
      );
      assert.deepEqual(time.slept, [50, 100, 200]);
    });

  it("waits as long as the server asks, and a little more", async () => {
    const { time } = await listing((_, index) => (index === 0 ? overloaded("7") : serviceList([])));
    assert.deepEqual(time.slept, [7050]);
  });

  it("does not wait longer than a call may take", async () => {
    const { error, time } = await listError(() => overloaded("120"));
    assert(error.clusterUnavailable);
    assert.deepEqual(time.slept, []);
    assert.equal(
      error.message,
      "cluster west is overloaded and did not list services: too many requests; run again later",
    );
  });

  it("is given up after some attempts", async () => {
    const { error, client, url, time } = await listError(() =>
      status(500, "InternalError", "etcd is away"),
    );
    const { kind, reason, detail } = error;
    assert.deepEqual(
      [kind, error.status, reason, detail],
      ["server", 500, "InternalError", "etcd is away"],
    );
    assert.equal(
      error.message,
      `cluster west failed to list services (status 500) after 8 attempts: etcd is away; check its API server at ${url}`,
    );
    assert.deepEqual(time.slept, [50, 100, 200, 400, 800, 1600, 2500]);
    assert.deepEqual(client.requests, { reads: 8, writes: 0 });
  });

  it("is given up after some time", async () => {
    const { error, time } = await listError(() => overloaded("20"));
    assert.equal(error.kind, "throttled");
    assert.deepEqual(time.slept, [20_050, 20_100]);
  });

  for (const code of [400, 403, 404, 405, 409, 422, 302])
    it(`is not repeated after ${code}`, async () => {
      assert.equal((await listError(() => ({ status: code }))).received.length, 1);
    });

  it("is given up when no answer comes in time, quickly if none ever came", async () => {
    const { error, time } = await listError(() => "silence", { requestTimeout: 20 });
    assert.equal(error.kind, "unreachable");
    assert.match(error.message, /the response timed out .* after 2 attempts/);
    assert.deepEqual(time.slept, [50]);
  });
});

describe("a write whose outcome is unknown", () => {
  const cart = service("cart", { resourceVersion: "1" });

  it("that was a create ends as alreadyExists if it had been applied", () =>
    withCluster(
      (_, index) => (index === 0 ? "reset" : status(409, "AlreadyExists", "already exists")),
      async ({ client }) => {
        const error = await errorOf(client.create(resources.services, cart));
        assert.equal(error.kind, "alreadyExists");
        assert.equal(error.message, "Service shop/cart already exists in cluster west; run again");
        assert.deepEqual(client.requests, { reads: 0, writes: 2 });
      },
    ));

  it("that was a create succeeds if it had not been applied", () =>
    withCluster(
      (_, index) => (index === 0 ? "reset" : saved(service("cart", { uid: "u1" }))),
      async ({ client }) => {
        assert.equal((await client.create(resources.services, cart)).metadata.uid, "u1");
      },
    ));

  it("that was a replace ends as conflict if it had been applied", () =>
    withCluster(
      (_, index) => (index === 0 ? "reset" : status(409, "Conflict", "it has been modified")),
      async ({ client }) => {
        const error = await errorOf(client.replace(resources.services, cart));
        assert.equal(error.kind, "conflict");
      },
    ));

  it("that was a delete ends as notFound if it had been applied", () =>
    withCluster(
      (received, index) => (index === 0 ? "reset" : absent(received)),
      async ({ client }) => {
        const error = await errorOf(client.remove(resources.services, cart.metadata));
        assert.equal(error.kind, "notFound");
        assert.equal(error.absent, "cart");
      },
    ));
});

it("a wait that is longer than a timer can be is not over at once", async () => {
  const stop = new AbortController();
  let isOver = false;
  void systemTime.sleep(2 ** 40, stop.signal).then(() => (isOver = true));
  await sleep(20);
  assert.equal(isOver, false);
  stop.abort();
});
