import { deepEqual, equal, match } from "node:assert/strict";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { systemTime } from "../../../engine/kubernetes/client/retry.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import {
  absent,
  errorOf,
  forEachTest,
  listError,
  listing,
  type Reply,
  saved,
  type Script,
  service,
  serviceList,
  status,
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
      deepEqual(time.slept, [50, 100, 200]);
    });

  it("waits as long as the server asks, and a little more", async () => {
    const { time } = await listing((_, index) => (index === 0 ? overloaded("7") : serviceList([])));
    deepEqual(time.slept, [7050]);
  });

  it("does not wait longer than a call may take", async () => {
    const { error, time } = await listError(() => overloaded("120"));
    deepEqual([error.clusterUnavailable, time.slept], [true, []]);
    equal(
      error.message,
      "cluster west is overloaded and did not list services: too many requests; run again later",
    );
  });

  it("is given up after some attempts", async () => {
    const { error, url, time } = await listError(() =>
      status(500, "InternalError", "etcd is away"),
    );
    const { kind, reason, detail } = error;
    deepEqual(
      [kind, error.status, reason, detail],
      ["server", 500, "InternalError", "etcd is away"],
    );
    equal(
      error.message,
      `cluster west failed to list services (status 500) after 8 attempts: etcd is away; check its API server at ${url}`,
    );
    deepEqual(time.slept, [50, 100, 200, 400, 800, 1600, 2500]);
  });

  it("is given up after some time", async () => {
    const { error, time } = await listError(() => overloaded("20"));
    deepEqual([error.kind, time.slept], ["throttled", [20_050, 20_100]]);
  });

  for (const code of [400, 403, 404, 405, 409, 422, 302])
    it(`is not repeated after ${code}`, async () => {
      equal((await listError(() => ({ status: code }))).received.length, 1);
    });

  it("is given up when no answer comes in time, quickly if none ever came", async () => {
    const { error, time } = await listError(() => "silence", { requestTimeout: 20 });
    equal(error.kind, "unreachable");
    match(error.message, /the response timed out .* after 2 attempts/);
    deepEqual(time.slept, [50]);
  });
});

describe("a cluster that can't be reached", () => {
  const { open } = forEachTest();
  const list = (client: Kubernetes) => client.list(resources.services);

  it("refuses connections", async () => {
    const { error, time } = await listError(() => "reset", {
      clusterEntry: { server: "http://127.0.0.1:1" },
    });
    deepEqual([error.kind, error.clusterUnavailable], ["unreachable", true]);
    equal(
      error.message,
      "cluster west can't be reached at http://127.0.0.1:1 to list services: the connection was refused (ECONNREFUSED) after 2 attempts; check that it runs and that context k3d-west has its address and certificate authority",
    );
    equal(time.slept.length, 1);
  });

  it("does not speak TLS, which no second attempt mends", async () => {
    const { url } = await open(() => serviceList([]));
    const server = url.replace("http:", "https:");
    const { error, time } = await listError(() => "reset", { clusterEntry: { server } });
    match(error.message, /TLS failed \((ERR_SSL|EPROTO)/);
    equal(time.slept.length, 0);
  });

  it("is asked for long again once it has answered, until it is given up", async () => {
    let away = false;
    const { client, received } = await open(() => (away ? "reset" : serviceList([])));
    await list(client);
    away = true;
    await errorOf(list(client));
    equal(received.length, 1 + 8);
    await errorOf(list(client));
    equal(received.length, 9 + 2);
    away = false;
    await list(client);
  });

  it("is one whose client was closed", async () => {
    const { client, time } = await listError(() => "reset");
    const { kind, message } = await errorOf(list(client));
    equal(kind, "unreachable");
    match(message, /this client was closed/);
    equal(time.slept.length, 1);
  });
});

describe("a write whose outcome is unknown", () => {
  const { open } = forEachTest();
  const cart = service("cart", { resourceVersion: "1" });

  /** What is lost is the first answer. */
  const lost = (then: Script) =>
    open((request, index) => (index === 0 ? "reset" : then(request, index)));

  it("that was a create ends as alreadyExists if it had been applied", async () => {
    const { client, received } = await lost(() => status(409, "AlreadyExists", "already exists"));
    const error = await errorOf(client.create(resources.services, cart));
    equal(error.kind, "alreadyExists");
    equal(error.message, "Service shop/cart already exists in cluster west; run again");
    equal(received.length, 2);
  });

  it("that was a create succeeds if it had not been applied", async () => {
    const { client } = await lost(() => saved(service("cart", { uid: "u1" })));
    equal((await client.create(resources.services, cart)).metadata.uid, "u1");
  });

  it("that was a replace ends as conflict if it had been applied", async () => {
    const { client } = await lost(() => status(409, "Conflict", "it has been modified"));
    equal((await errorOf(client.replace(resources.services, cart))).kind, "conflict");
  });

  it("that was a delete ends as notFound if it had been applied", async () => {
    const { client } = await lost(absent);
    const { kind, absent: name } = await errorOf(client.remove(resources.services, cart.metadata));
    deepEqual([kind, name], ["notFound", "cart"]);
  });
});

it("a wait that is longer than a timer can be is not over at once", async () => {
  const stop = new AbortController();
  let isOver = false;
  void systemTime.sleep(2 ** 40, stop.signal).then(() => (isOver = true));
  await sleep(20);
  equal(isOver, false);
  stop.abort();
});
