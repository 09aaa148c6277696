import { deepEqual, equal, match } from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import {
  livenessNow,
  type ProbeTarget,
  sendProbe,
} from "../../../../engine/mirroring/observe/gateway-probe.ts";
import { systemTime, type Time } from "../../../../engine/kubernetes/client/retry.ts";
import { VirtualTime } from "../../../simulation/time.ts";

const probe = { path: "/ready", period: "3s", threshold: 3 };
const closers: (() => void)[] = [];

/** A server on this machine that does this with its connections. */
async function listener(accept: (socket: Socket) => void): Promise<ProbeTarget> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    accept(socket);
  }).listen(0, "127.0.0.1");
  closers.push(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { ...probe, addresses: ["127.0.0.1"], port };
}

/** A gateway that answers so. */
function gateway(answer: RequestListener): Promise<ProbeTarget> {
  const server = createServer(answer);
  return listener((socket) => server.emit("connection", socket));
}

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end();

/** Time is up as soon as it is waited for. */
const hurried: Time = { ...systemTime, alarm: (_, call) => systemTime.alarm(20, call) };

describe("a probe of a gateway (linkerd-behaviour.md 7.3)", () => {
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  for (const [code, failure] of [
    [200, undefined],
    ...[204, 503].map((each) => [each, `HTTP status ${each}`] as const),
  ] as const)
    it(`${failure === undefined ? "succeeds" : "fails"} with status ${code}`, async () => {
      equal(await sendProbe(await gateway(status(code))), failure);
    });

  it("is a plain GET of the path, with nothing of the runner", async () => {
    const requests: Pick<IncomingMessage, "method" | "url" | "headers">[] = [];
    const target = await gateway(({ method, url, headers }, response) => {
      requests.push({ method, url, headers });
      response.end();
    });
    equal(await sendProbe(target), undefined);
    const headers = { host: `127.0.0.1:${target.port}`, connection: "close" };
    deepEqual(requests, [{ method: "GET", url: "/ready", headers }]);
  });

  it("does not follow a redirect", async () => {
    let elsewhere = 0;
    const other = await gateway(() => (elsewhere += 1));
    const location = `http://127.0.0.1:${other.port}/ready`;
    equal(await sendProbe(await gateway(status(302, { location }))), "HTTP status 302");
    equal(elsewhere, 0);
  });

  it("does not read the answer's body", async () => {
    const target = await gateway((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    });
    equal(await sendProbe(target), undefined);
  });

  const trickle = (socket: Socket) => {
    const timer = setInterval(() => socket.write("HTTP/1.1 100 Continue\r\n\r\n"), 2);
    socket.on("close", () => {
      clearInterval(timer);
    });
  };
  const endless = `HTTP/1.1 200 OK\r\nx-long: ${"x".repeat(20_000)}\r\n\r\n`;
  for (const [what, accept, failure] of [
    ["is silent", () => undefined, /^no answer within 1.5 s$/],
    ["answers by dribs and drabs", trickle, /^no answer within 1.5 s$/],
    ["hangs up", (socket: Socket) => socket.end(), /the connection was lost|closed/],
    ["speaks SSH", (socket: Socket) => socket.end("SSH-2.0-x\r\n"), /the request failed/],
    ["never ends its headers", (socket: Socket) => socket.write(endless), /HPE_HEADER_OVERFLOW/],
  ] as const)
    it(`fails where the gateway ${what}`, async () => {
      match((await sendProbe(await listener(accept), { time: hurried })) ?? "", failure);
    });

  it("fails where nobody listens", async () => {
    const gone = await gateway(status(200));
    for (const close of closers.splice(0)) close();
    equal(await sendProbe(gone), "the connection was refused (ECONNREFUSED)");
  });

  it("succeeds if any address of the gateway answers, and waits for no other", async () => {
    const silent = await listener(() => undefined);
    const answering = createServer(status(200)).listen(silent.port, "127.0.0.2");
    closers.push(() => answering.close());
    await once(answering, "listening");
    const both = { ...silent, addresses: ["127.0.0.1", "127.0.0.2"] };
    const never: Time = { ...systemTime, alarm: () => () => undefined };
    equal(await sendProbe(both, { time: never }), undefined);
  });
});

describe("whether a gateway is alive now", () => {
  const target = { ...probe, addresses: ["192.0.2.10"], port: 4191 };

  const no = ["no"];
  for (const [rule, outcomes, of, expected, stop] of [
    ["takes one probe that succeeds", [undefined], {}, [undefined, 1, 0]],
    ["takes one after some that fail", ["no", "no", undefined], {}, [undefined, 3, 2_000]],
    ["takes as many that fail as the threshold says", no, {}, ["no", 3, 2_000]],
    ["waits for the period where that is short", no, { period: "100ms" }, ["no", 3, 200]],
    ["is told in seconds, whatever the threshold", no, { threshold: 999 }, ["no", 5, 4_000]],
    ["is nothing that a cancelled run finds out", no, {}, [undefined, 1, 0], AbortSignal.abort()],
  ] as const)
    it(rule, async () => {
      const time = new VirtualTime();
      let sent = 0;
      // The last outcome comes again and again.
      const liveness = await livenessNow({ ...target, ...of }, { time, stop }, () =>
        Promise.resolve(outcomes[Math.min(sent++, outcomes.length - 1)]),
      );
      deepEqual([liveness.down, sent, time.now()], expected);
    });
});
