import { deepEqual, rejects } from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";

import { serve } from "../../../engine/watch/server.ts";
import { until } from "../../../testbed/processes.ts";

describe("the server of health and metrics", () => {
  const contentType = "text/plain; version=0.0.4";
  let server: Awaited<ReturnType<typeof serve>>;
  let is = { isLive: true, isReady: false, isBroken: false };

  const listening = (port: number) =>
    serve(
      { host: "127.0.0.1", port },
      {
        isLive: () => is.isLive,
        isReady: () => is.isReady,
        metrics: {
          contentType,
          text: () =>
            is.isBroken ? Promise.reject(new Error("broken")) : Promise.resolve("mirrors 1\n"),
        },
      },
    );
  before(async () => (server = await listening(0)));
  after(() => server.close());

  const ask = async (path: string, method = "GET") => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return [answer.status, await answer.text(), answer.headers.get("content-type")];
  };

  const ok = "ok\n";
  const stuck = "no dry run has ended well for longer than one may take\n";
  for (const [path, state, code, text] of [
    ["/livez", {}, 200, ok],
    ["/livez", { isLive: false }, 503, stuck],
    ["/readyz", {}, 503, "waiting for the state, or the first dry run\n"],
    ["/readyz", { isReady: true }, 200, ok],
    ["/metrics", {}, 200, "mirrors 1\n"],
    ["/metrics?x=y", {}, 200, "mirrors 1\n"],
    ["/metrics", { isBroken: true }, 500, "the metrics can't be read\n"],
    ["/", {}, 404, "there are /livez, /readyz and /metrics\n"],
    ["//", {}, 404, "there are /livez, /readyz and /metrics\n"],
  ] as const)
    it(`answers ${code} to ${path} where it is ${JSON.stringify(state)}`, async () => {
      is = { isLive: true, isReady: false, isBroken: false, ...state };
      const other = code === 500 ? null : "text/plain; charset=utf-8";
      const type = text === "mirrors 1\n" ? contentType : other;
      deepEqual(await ask(path), [code, text, type]);
    });

  it("changes nothing, whatever is sent", async () => {
    const type = "text/plain; charset=utf-8";
    deepEqual(await ask("/metrics", "POST"), [405, "only GET is served here\n", type]);
  });

  it("serves nobody who comes by loopback under another name, as a page in a browser would", async () => {
    const own = ["localhost", "127.0.0.1:80", "[::1]:80"];
    const others = ["evil.example", `evil.example:${server.port}`];
    const codes = [...own, ...others].map(async (host) => {
      const at = { host: "127.0.0.1", port: server.port, path: "/livez?", headers: { host } };
      const [response] = (await once(get(at), "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    });
    deepEqual(await Promise.all(codes), [200, 200, 200, 421, 421]);
  });

  it("has few connections at a time, however many are wanted", async () => {
    let closed = 0;
    const sockets = Array.from({ length: 100 }, () =>
      connect(server.port, "127.0.0.1")
        .resume()
        .on("error", () => undefined)
        .on("close", () => (closed += 1)),
    );
    await until("the end of those beyond", [], () => Promise.resolve(closed >= 60 || undefined));
    for (const socket of sockets) socket.destroy();
    await until("room again", [], () => ask("/metrics?").catch(() => undefined));
  });

  it("says in a sentence that an address is taken", async () => {
    const taken = /^Error: Can't listen on 127\.0\.0\.1:\d+, as --listen says: .*EADDRINUSE/;
    await rejects(listening(server.port), taken);
  });
});
