import assert from "node:assert/strict";
import http from "node:http";
import path from "node:path";
import { connect } from "../../../engine/kubernetes/connect.ts";
import type { ConnectOptions, Kubernetes } from "../../../engine/kubernetes/interface.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { retryPolicy, systemTime } from "../../../engine/kubernetes/retry.ts";
import {
  errorOf,
  FakeTime,
  listen,
  serviceList,
  withCluster,
  withFolder,
  writeKubeconfig,
} from "./scripted-cluster.ts";

/** A call has this many ms. */
function within(milliseconds: number): ConnectOptions {
  const working = { ...retryPolicy.working, within: milliseconds };
  return { time: systemTime, retry: { ...retryPolicy, working } };
}

/** A client of a server that answers as it likes. */
async function withServer(
  listener: http.RequestListener,
  test: (client: Kubernetes) => Promise<void>,
  options: ConnectOptions,
): Promise<void> {
  const server = http.createServer(listener);
  const url = `http://127.0.0.1:${await listen(server)}`;
  await withFolder(async (folder) => {
    const kubeconfig = await writeKubeconfig(path.join(folder, "config"), "k3d-west", {
      cluster: { server: url, "insecure-skip-tls-verify": true },
      user: { token: "token-of-west" },
    });
    const client = await connect({ context: "k3d-west", kubeconfig }, "west", options);
    try {
      await test(client);
    } finally {
      await client.close();
      server.closeAllConnections();
      server.close();
    }
  });
}

describe("the deadline of a call", () => {
  it("cuts off an answer that trickles", async () => {
    const timers = new Set<NodeJS.Timeout>();
    const trickle: http.RequestListener = (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      timers.add(setInterval(() => response.write(" "), 5));
    };
    try {
      await withServer(
        trickle,
        async (client) => {
          const error = await errorOf(client.list(resources.services));
          assert.equal(error.kind, "late");
          assert(error.clusterUnavailable);
          assert.match(
            error.message,
            /^cluster west is too slow to list services: no complete answer within 0.3 s; check its API server at http:\S+ and the network to it$/,
          );
          assert.equal(client.requests.reads, 1);
        },
        within(300),
      );
    } finally {
      timers.forEach(clearInterval);
    }
  });

  it("holds for all its attempts together", () =>
    withServer(
      () => undefined,
      async (client) => {
        const error = await errorOf(client.list(resources.services));
        assert.equal(error.kind, "late");
        assert.equal(client.requests.reads, 1);
      },
      { ...within(200), requestTimeout: 30_000 },
    ));

  it("leaves an answer in time alone", () =>
    withServer(
      (_, response) => response.end(JSON.stringify({ kind: "ServiceList", items: [] })),
      async (client) => {
        assert.deepEqual(await client.list(resources.services), []);
      },
      within(60_000),
    ));
});

describe("the deadline of a list", () => {
  it("holds for all its pages together", () => {
    let number = 0;
    return withCluster(
      () => serviceList([`service-${++number}`], `to ${number}`),
      async ({ client, received }) => {
        const error = await errorOf(client.list(resources.services));
        assert.equal(error.kind, "late");
        assert.match(
          error.message,
          /^cluster west is too slow to list services: the list is not complete after 0.3 s and \d+ pages?; check/,
        );
        assert(received.length > 1);
      },
      { time: systemTime, listTimeout: 300 },
    );
  });
});

describe("a list whose time is over", () => {
  it("is not asked for another page", () => {
    const time = new FakeTime();
    return withCluster(
      () => {
        time.pass(200);
        return serviceList([`service-${time.now()}`], `to ${time.now()}`);
      },
      async ({ client, received }) => {
        const { message } = await errorOf(client.list(resources.services));
        assert.match(message, /the list is not complete after 0.3 s and 2 pages; check/);
        assert.equal(received.length, 2);
      },
      { time, listTimeout: 300 },
    );
  });
});

describe("a list whose pages bring nothing new", () => {
  for (const [what, items] of [
    ["nothing at all", []],
    ["the same again", ["a"]],
  ] as const) {
    it(`but ${what}, each with a new token, is an error`, () => {
      let number = 0;
      return withCluster(
        () => serviceList(items, `to ${++number}`),
        async ({ client, received }) => {
          const error = await errorOf(client.list(resources.services));
          assert.equal(error.kind, "server");
          assert.match(
            error.message,
            /^cluster west failed to list services: 20 pages in a row bring nothing new, and each is followed by another; check its API server/,
          );
          assert.equal(received.length, 21);
        },
      );
    });
  }

  it("is complete if something comes in the end", () => {
    let number = 0;
    return withCluster(
      () => (++number < 20 ? serviceList([], `to ${number}`) : serviceList(["a"])),
      async ({ client }) => {
        assert.equal((await client.list(resources.services)).length, 1);
      },
    );
  });
});

describe("a cancelled run", () => {
  const controllers = () => {
    const [stop, abort] = [new AbortController(), new AbortController()];
    return { stop, abort, cancellation: { stop: stop.signal, abort: abort.signal } };
  };

  it("sends nothing more", async () => {
    const { stop, cancellation } = controllers();
    await withCluster(
      () => serviceList([]),
      async ({ client, received }) => {
        await client.list(resources.services);
        stop.abort();
        const error = await errorOf(client.list(resources.services));
        assert.equal(error.kind, "cancelled");
        assert.equal(error.notAttempted, "the run was cancelled");
        assert.equal(received.length, 1);
      },
      { cancellation },
    );
  });

  it("does not wait for another attempt", async function () {
    // Less than the wait that the server asks for.
    this.timeout("10s");
    const { stop, cancellation } = controllers();
    await withCluster(
      () => {
        setImmediate(() => {
          stop.abort();
        });
        return { status: 429, headers: { "retry-after": "50" } };
      },
      async ({ client, received }) => {
        const error = await errorOf(client.list(resources.services));
        assert.equal(error.kind, "cancelled");
        assert.equal(received.length, 1);
      },
      { cancellation, time: systemTime },
    );
  });

  it("lets what is under way end, and gives it up a moment later", async () => {
    const { stop, abort, cancellation } = controllers();
    const stopped = new Promise<void>((resolve) => {
      stop.signal.addEventListener("abort", () => {
        resolve();
      });
    });
    let under = 0;
    await withCluster(
      async ({ url }) => {
        under += 1;
        if (under === 2) stop.abort();
        await stopped;
        return url.pathname.endsWith("endpoints") ? "silence" : serviceList(["a"]);
      },
      async ({ client }) => {
        const endpoints = errorOf(client.list(resources.endpoints));
        assert.equal((await client.list(resources.services)).length, 1);
        abort.abort();
        const error = await endpoints;
        assert.equal(error.kind, "cancelled");
        assert.equal(error.notAttempted, undefined);
        assert.match(error.message, /^the run was cancelled before cluster west had answered/);
      },
      { cancellation },
    );
  });
});
