import { deepEqual, rejects } from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";

import { serve } from "../../../../tool/watch/server.ts";
import { until } from "../../../../testbed/processes.ts";

describe("the server of health and metrics", () => {
  const text = "text/plain; charset=utf-8";
  const metrics = {
    contentType: "text/plain; version=0.0.4",
    text: () => Promise.resolve("up 1\n"),
  };
  const healthy = { isLive: () => true, isReady: () => true, metrics };
  const served = { ...healthy };
  let server: Awaited<ReturnType<typeof serve>>;

  const listening = (port: number) => serve({ host: "127.0.0.1", port }, served);
  before(async () => (server = await listening(0)));
  after(() => server.close());

  const ask = async (path: string, method = "GET") => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return [answer.status, await answer.text(), answer.headers.get("content-type")];
  };

  const no = () => false;
  const stuck = "no dry run has ended well for longer than one may take\n";
  const waiting = "waiting for the state, or the first dry run\n";
  const broken = { ...metrics, text: () => Promise.reject(new Error("broken")) };
  const nothing = "there are /livez, /readyz and /metrics\n";
  for (const [request, state, code, answer, type = text] of [
    ["GET /livez", {}, 200, "ok\n"],
    ["GET /livez", { isLive: no }, 503, stuck],
    ["GET /readyz", {}, 200, "ok\n"],
    ["GET /readyz", { isReady: no }, 503, waiting],
    ["GET /metrics", {}, 200, "up 1\n", metrics.contentType],
    ["GET /metrics?x=y", { isReady: no, isLive: no }, 200, "up 1\n", metrics.contentType],
    ["GET /metrics", { metrics: broken }, 500, "the metrics can't be read\n", null],
    ["POST /metrics", {}, 405, "only GET is served here\n"],
    ["GET /", {}, 404, nothing],
    ["GET //", {}, 404, nothing],
  ] as const)
    it(`answers ${code} to ${request} without ${Object.keys(state).join() || "trouble"}`, async () => {
      Object.assign(served, healthy, state);
      const [method, path = ""] = request.split(" ");
      deepEqual(await ask(path, method), [code, answer, type]);
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

  it("answers everybody who asks while others keep as many connections open as there may be", async () => {
    Object.assign(served, healthy);
    let closed = 0;
    const sockets = Array.from({ length: 100 }, () =>
      connect(server.port, "127.0.0.1")
        .resume()
        .on("error", () => undefined)
        .on("close", () => (closed += 1)),
    );
    await until("the end of those beyond", [], () => Promise.resolve(closed >= 60 || undefined));
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask("/livez")));
    deepEqual(
      answers.map(([code]) => code),
      answers.map(() => 200),
    );
    for (const socket of sockets) socket.destroy();
  });

  it("says in a sentence that an address is taken", async () => {
    const taken = /^Error: Can't listen on 127\.0\.0\.1:\d+, as --listen says: .*EADDRINUSE/;
    await rejects(listening(server.port), taken);
  });
});
