import { deepEqual, rejects } from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { serve } from "../../../../cli/watch/server.ts";

describe("the server for health and metrics", () => {
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

  const no = () => false;
  const neither = { isReady: no, isLive: no };
  const waiting = "waiting for the state, or the first dry run\n";
  for (const [request, when, state, code, answer, type = text] of [
    ["GET /livez", "", {}, 200, "ok\n"],
    ["GET /livez", " while a dry run is stuck", { isLive: no }, 503, "a dry run is stuck\n"],
    ["GET /readyz", "", {}, 200, "ok\n"],
    ["GET /readyz", " before the first dry run", { isReady: no }, 503, waiting],
    ["GET /metrics?x=y", " at any time", neither, 200, "up 1\n", metrics.contentType],
    ["POST /metrics", "", {}, 405, "use GET\n"],
    ["GET //", "", {}, 404, "use /livez, /readyz or /metrics\n"],
  ] as const)
    it(`answers ${code} to ${request}${when}`, async () => {
      Object.assign(served, healthy, state);
      const [method = "", path = ""] = request.split(" ");
      const answered = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      const found = [answered.status, await answered.text(), answered.headers.get("content-type")];
      deepEqual(found, [code, answer, type]);
    });

  it("refuses requests over loopback that name another host, as web pages do after DNS rebinding", async () => {
    const codes = ["localhost", "127.0.0.1:80", "[::1]:80", "evil.example"].map(async (host) => {
      const at = { host: "127.0.0.1", port: server.port, path: "/livez", headers: { host } };
      const [response] = (await once(get(at), "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    });
    deepEqual(await Promise.all(codes), [200, 200, 200, 421]);
  });

  it("names the option if the address is taken", async () => {
    const taken = /^Error: can't listen on 127\.0\.0\.1:\d+ \(--listen\): .*EADDRINUSE/;
    await rejects(listening(server.port), taken);
  });
});
