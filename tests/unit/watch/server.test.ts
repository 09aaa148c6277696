import { deepEqual, equal, match, rejects } from "node:assert/strict";

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";

import { until } from "../../../testbed/processes.ts";
import { serve } from "../../../engine/watch/server.ts";

describe("the server of health and metrics", () => {
  let server: Awaited<ReturnType<typeof serve>>;
  let isLive = true;
  let isReady = false;
  let text = () => Promise.resolve("mirrors 1\n");

  before(async () => {
    server = await serve(
      { host: "127.0.0.1", port: 0 },
      {
        isLive: () => isLive,
        isReady: () => isReady,
        metrics: { contentType: "text/plain; version=0.0.4", text: () => text() },
      },
    );
  });
  after(() => server.close());

  const ask = async (path: string, method = "GET") => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return {
      code: answer.status,
      text: await answer.text(),
      type: answer.headers.get("content-type"),
    };
  };

  it("says that it lives, and when nothing moves any more", async () => {
    equal((await ask("/livez")).code, 200);
    isLive = false;
    equal((await ask("/livez")).code, 503);
  });

  it("says what it waits for until it is ready", async () => {
    const { code, text: said } = await ask("/readyz");
    deepEqual([code, said], [503, "waiting for the state, or the first dry run\n"]);
    isReady = true;
    equal((await ask("/readyz")).code, 200);
  });

  it("serves metrics", async () => {
    const type = "text/plain; version=0.0.4";
    deepEqual(await ask("/metrics"), { code: 200, text: "mirrors 1\n", type });
    deepEqual((await ask("/metrics?x=y")).code, 200);
    text = () => Promise.reject(new Error("broken"));
    equal((await ask("/metrics")).code, 500);
  });

  it("serves nothing else, and changes nothing", async () => {
    equal((await ask("/")).code, 404);
    equal((await ask("//")).code, 404);
    equal((await ask("/metrics", "POST")).code, 405);
  });

  it("serves nobody who comes by loopback under another name, as a page in a browser would", async () => {
    const codes = [
      "evil.example",
      `evil.example:${server.port}`,
      "localhost",
      "127.0.0.1:80",
      "[::1]:80",
    ].map(async (host) => {
      const [response] = (await once(
        get({ host: "127.0.0.1", port: server.port, path: "/livez?", headers: { host } }),
        "response",
      )) as [IncomingMessage];
      response.resume();
      return response.statusCode === 421;
    });
    deepEqual(await Promise.all(codes), [true, true, false, false, false]);
  });

  it("has few connections at a time, however many are wanted", async () => {
    const sockets = Array.from({ length: 100 }, () => connect(server.port, "127.0.0.1"));
    let closed = 0;
    for (const socket of sockets)
      socket
        .resume()
        .on("error", () => undefined)
        .on("close", () => (closed += 1));
    await until("the end of those beyond", [], () => Promise.resolve(closed >= 60 || undefined));
    for (const socket of sockets) socket.destroy();
    await until("room again", [], () => ask("/metrics?").catch(() => undefined));
  });

  it("says in a sentence that an address is taken", async () => {
    const { port } = server;
    const taken = serve(
      { host: "127.0.0.1", port },
      { isLive: () => true, isReady: () => true, metrics: { contentType: "", text: () => text() } },
    );
    await rejects(taken, (error: Error) => {
      match(error.message, /^Can't listen on 127\.0\.0\.1:\d+, as --listen says: .*EADDRINUSE/);
      return true;
    });
  });
});
