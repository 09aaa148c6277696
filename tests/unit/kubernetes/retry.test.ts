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
  type ScriptedOptions,
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

interface Failing {
  readonly reply: Reply;
  readonly slept: readonly number[];
  readonly kind: string;
  readonly message: RegExp;
  readonly options?: ScriptedOptions;
}

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

  const failures: Readonly<Record<string, Failing>> = {
    "after eight attempts": {
      reply: away,
      slept: [50, 100, 200, 400, 800, 1600, 2500],
      kind: "server",
      message:
        /^cluster west failed to list services \(status 500\) after 8 attempts: etcd is away; check its API server at http:\S+$/,
    },
    "after the time of a call": {
      reply: overloaded("20"),
      slept: [20_050, 20_100],
      kind: "throttled",
      message: /^cluster west is overloaded and did not list services after 3 attempts: too many/,
    },
    "at once if the server asks for a longer wait than a call may take": {
      reply: overloaded("120"),
      slept: [],
      kind: "throttled",
      message: /did not list services: too many requests; run again later$/,
    },
    "after two attempts if the cluster has never answered": {
      reply: "silence",
      slept: [50],
      kind: "unreachable",
      message: /: the response timed out \(\w+\) after 2 attempts;/,
      options: { requestTimeout: 20 },
    },
    "after two attempts if connections are refused": {
      reply: "reset",
      slept: [50],
      kind: "unreachable",
      message:
        /^cluster west can't be reached at http:\/\/127.0.0.1:1 to list services: the connection was refused \(ECONNREFUSED\) after 2 attempts; check that it runs and that context k3d-west has its address and certificate authority$/,
      options: { clusterEntry: { server: "http://127.0.0.1:1" } },
    },
  };
  for (const [what, { reply, slept, kind, message, options }] of Object.entries(failures))
    it(`fails ${what}`, async () => {
      const { error, time } = await listError(() => reply, options);
      deepEqual([error.kind, error.clusterUnavailable, time.slept], [kind, true, slept]);
      match(error.message, message);
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

  const writes = {
    create: {
      write: (client: Kubernetes) => client.create(resources.services, cart),
      then: status(409, "AlreadyExists", "no"),
      kind: "alreadyExists",
    },
    replace: {
      write: (client: Kubernetes) => client.replace(resources.services, cart),
      then: status(409, "Conflict", "it has been modified"),
      kind: "conflict",
    },
    delete: {
      write: (client: Kubernetes) => client.remove(resources.services, cart.metadata),
      then: status(404, "NotFound", "no", { name: "cart" }),
      kind: "notFound",
    },
  };
  for (const [verb, { write, then, kind }] of Object.entries(writes))
    it(`is sent again, and finds what it did itself: ${verb}`, async () => {
      const { client, received } = await open((_, index) => (index === 0 ? "reset" : then));
      equal((await errorOf(write(client))).kind, kind);
      equal(received.length, 2);
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
