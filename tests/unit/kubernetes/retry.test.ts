import { deepEqual, equal, match } from "node:assert/strict";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { systemTime } from "../../../engine/kubernetes/client/retry.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import {
  errorOf,
  forEachTest,
  listError,
  listing,
  type Reply,
  service,
  serviceList,
  status,
} from "./scripted-cluster.ts";

const overloaded = (seconds: string): Reply => ({
  status: 429,
  headers: { "retry-after": seconds },
  body: { kind: "Status", reason: "TooManyRequests", message: "too many requests" },
});
const away = status(500, "InternalError", "etcd is away");

describe("a request", () => {
  for (const status of [500, 502, 503, 504])
    it(`is retried after ${status}`, async () => {
      const { time } = await listing((_, index) => (index === 0 ? { status } : serviceList([])));
      deepEqual(time.slept, [50]);
    });

  for (const status of [400, 403, 404, 405, 409, 422, 302])
    it(`is not retried after ${status}`, async () => {
      equal((await listError(() => ({ status }))).received.length, 1);
    });

  it("fails after eight attempts", async () => {
    const { error, time } = await listError(() => away);
    deepEqual([error.kind, error.clusterUnavailable], ["server", true]);
    deepEqual(time.slept, [50, 100, 200, 400, 800, 1600, 2500]);
    match(
      error.message,
      /^cluster west failed to list services \(status 500\) after 8 attempts: etcd is away; check its API server at http:\S+$/,
    );
  });

  it("fails after the time of a call, and at once if the server asks for a longer wait", async () => {
    const { error, time } = await listError(() => overloaded("20"));
    deepEqual([error.kind, error.clusterUnavailable], ["throttled", true]);
    deepEqual(time.slept, [20_050, 20_100]);
    match(
      error.message,
      /^cluster west is overloaded and did not list services after 3 attempts: too many requests; run again later$/,
    );
    deepEqual((await listError(() => overloaded("120"))).time.slept, []);
  });

  it("fails after two attempts if the cluster has never answered", async () => {
    const silent = await listError(() => "silence", { requestTimeout: 20 });
    match(silent.error.message, /: the response timed out \(\w+\) after 2 attempts;/);
    const clusterEntry = { server: "http://127.0.0.1:1" };
    const { error, time } = await listError(() => "reset", { clusterEntry });
    deepEqual([error.kind, error.clusterUnavailable, time.slept], ["unreachable", true, [50]]);
    match(
      error.message,
      /^cluster west can't be reached at http:\/\/127.0.0.1:1 to list services: the connection was refused \(ECONNREFUSED\) after 2 attempts; check that it runs and that context k3d-west has its address and certificate authority$/,
    );
  });
});

describe("a cluster that can't be reached", () => {
  const { open } = forEachTest();
  const list = (client: Kubernetes) => client.list(resources.services);

  it("gets a single attempt if it does not speak TLS", async () => {
    const { url } = await open(() => serviceList([]));
    const server = url.replace("http:", "https:");
    const { error, time } = await listError(() => "reset", { clusterEntry: { server } });
    match(error.message, /TLS failed \((ERR_SSL|EPROTO)/);
    equal(time.slept.length, 0);
  });

  it("gets all attempts again once it has answered", async () => {
    let away = false;
    const { client, received } = await open(() => (away ? "reset" : serviceList([])));
    await list(client);
    away = true;
    await errorOf(list(client));
    equal(received.length, 1 + 8);
    await errorOf(list(client));
    equal(received.length, 9 + 2);
  });

  it("is reported after the client was closed", async () => {
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

  /** Returns the kind of error of a write whose first answer was lost. */
  const repeated = async (write: (client: Kubernetes) => Promise<unknown>, second: Reply) => {
    const { client, received } = await open((_, index) => (index === 0 ? "reset" : second));
    const { kind } = await errorOf(write(client));
    equal(received.length, 2);
    return kind;
  };

  it("is sent again, and finds what it did itself", async () => {
    const { services } = resources;
    const exists = status(409, "AlreadyExists", "no");
    const changed = status(409, "Conflict", "it has been modified");
    const gone = status(404, "NotFound", "no", { name: "cart" });
    equal(await repeated((client) => client.create(services, cart), exists), "alreadyExists");
    equal(await repeated((client) => client.replace(services, cart), changed), "conflict");
    equal(await repeated((client) => client.remove(services, cart.metadata), gone), "notFound");
  });
});

it("waits longer than a timer can count, instead of not at all", async () => {
  const stop = new AbortController();
  let isOver = false;
  void systemTime.sleep(2 ** 40, stop.signal).then(() => (isOver = true));
  await sleep(20);
  equal(isOver, false);
  stop.abort();
});
