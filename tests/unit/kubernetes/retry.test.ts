import { deepEqual, equal, match } from "node:assert/strict";
import { KubernetesError } from "../../../engine/kubernetes/client/errors.ts";
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
  saved,
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
const elsewhere = { clusterEntry: { server: "http://127.0.0.1:1" } };

describe("a request", () => {
  for (const [what, reply, slept] of [
    ...[500, 502, 503, 504].map((code) => [`after ${code}`, { status: code }, 50] as const),
    ["after the time that the server asks for, and a little more", overloaded("7"), 7050],
  ] as const)
    it(`is retried ${what}`, async () => {
      const { time } = await listing((_, index) => (index === 0 ? reply : serviceList([])));
      deepEqual(time.slept, [slept]);
    });

  for (const code of [400, 403, 404, 405, 409, 422, 302])
    it(`is not retried after ${code}`, async () => {
      equal((await listError(() => ({ status: code }))).received.length, 1);
    });

  type Row = [
    what: string,
    Reply,
    slept: readonly number[],
    kind: string,
    RegExp,
    ScriptedOptions?,
  ];
  const rows: Row[] = [
    [
      "after eight attempts",
      ...([away, [50, 100, 200, 400, 800, 1600, 2500], "server"] as const),
      /^cluster west failed to list services \(status 500\) after 8 attempts: etcd is away; check its API server at http:\S+$/,
    ],
    [
      "after the time of a call",
      ...([overloaded("20"), [20_050, 20_100], "throttled"] as const),
      /^cluster west is overloaded and did not list services after 3 attempts: too many/,
    ],
    [
      "at once if the server asks for a longer wait than a call may take",
      ...([overloaded("120"), [], "throttled"] as const),
      /^cluster west is overloaded and did not list services: too many requests; run again later$/,
    ],
    [
      "after two attempts if the cluster has never answered",
      ...(["silence", [50], "unreachable"] as const),
      /: the response timed out \(\w+\) after 2 attempts;/,
      { requestTimeout: 20 },
    ],
    [
      "after two attempts if connections are refused",
      ...(["reset", [50], "unreachable"] as const),
      /^cluster west can't be reached at http:\/\/127.0.0.1:1 to list services: the connection was refused \(ECONNREFUSED\) after 2 attempts; check that it runs and that context k3d-west has its address and certificate authority$/,
      elsewhere,
    ],
  ];
  for (const [what, reply, slept, expected, message, options] of rows)
    it(`fails ${what}`, async () => {
      const { error, time } = await listError(() => reply, options);
      deepEqual([error.kind, error.clusterUnavailable, time.slept], [expected, true, slept]);
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
    away = false;
    await list(client);
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
  const create = (client: Kubernetes) => client.create(resources.services, cart);

  for (const [what, write, then, expected] of [
    ["a create finds its own object", create, status(409, "AlreadyExists", "no"), "alreadyExists"],
    [
      "a replace finds its own change",
      (client: Kubernetes) => client.replace(resources.services, cart),
      ...([status(409, "Conflict", "it has been modified"), "conflict"] as const),
    ],
    [
      "a delete finds nothing",
      (client: Kubernetes) => client.remove(resources.services, cart.metadata),
      ...([status(404, "NotFound", "no", { name: "cart" }), "notFound"] as const),
    ],
    ["a create had not been applied", create, saved(service("cart")), "done"],
  ] as const)
    it(`is retried: ${what}`, async () => {
      const { client, received } = await open((_, index) => (index === 0 ? "reset" : then));
      const outcome = write(client).then(
        () => "done",
        (error: unknown) => (error instanceof KubernetesError ? error.kind : error),
      );
      equal(await outcome, expected);
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
