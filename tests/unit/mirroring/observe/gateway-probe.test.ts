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

/** A gateway on this machine that answers so. */
async function gateway(answer: RequestListener): Promise<ProbeTarget> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return at((server.address() as AddressInfo).port);
}

function at(port: number): ProbeTarget {
  return { ...probe, addresses: ["127.0.0.1"], port };
}

/** A server that accepts connections, and does this with them. */
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
  return at((server.address() as AddressInfo).port);
}

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end();

/** Time is up as soon as it is waited for. */
const hurried: Time = {
  ...systemTime,
  alarm: (_, call) => systemTime.alarm(20, call),
};

describe("a probe of a gateway (linkerd-behaviour.md 7.3)", () => {
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  it("succeeds with status 200", async () => {
    equal(await sendProbe(await gateway(status(200))), undefined);
  });

  for (const code of [204, 302, 404, 503])
    it(`fails with status ${code}`, async () => {
      equal(await sendProbe(await gateway(status(code))), `HTTP status ${code}`);
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
    const other = await gateway((_, response) => {
      elsewhere += 1;
      response.end();
    });
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

  it("fails where nobody answers in time, by dribs and drabs or not at all", async () => {
    const silent = await listener(() => undefined);
    equal(await sendProbe(silent, { time: hurried }), "no answer within 1.5 s");
    const trickling = await listener((socket) => {
      const trickle = setInterval(() => socket.write("HTTP/1.1 100 Continue\r\n\r\n"), 2);
      socket.on("close", () => {
        clearInterval(trickle);
      });
    });
    equal(await sendProbe(trickling, { time: hurried }), "no answer within 1.5 s");
  });

  it("fails where nobody listens, hangs up, or speaks anything but HTTP", async () => {
    const gone = await gateway(status(200));
    for (const close of closers.splice(0)) close();
    equal(await sendProbe(gone), "the connection was refused (ECONNREFUSED)");
    const hangingUp = await listener((socket) => socket.end());
    match((await sendProbe(hangingUp)) ?? "", /the connection was lost|closed/);
    const babbling = await listener((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
    match((await sendProbe(babbling)) ?? "", /the request failed/);
    const endless = await listener((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nx-long: ${"x".repeat(20_000)}\r\n\r\n`);
    });
    match((await sendProbe(endless)) ?? "", /HPE_HEADER_OVERFLOW/);
  });

  it("succeeds if any address of the gateway answers, and waits for no other", async () => {
    const silent = await listener(() => undefined);
    const { port } = silent;
    const answering = createServer(status(200)).listen(port, "127.0.0.2");
    closers.push(() => answering.close());
    await once(answering, "listening");
    const both = { ...silent, addresses: ["127.0.0.1", "127.0.0.2"] };
    const never: Time = { ...systemTime, alarm: () => () => undefined };
    equal(await sendProbe(both, { time: never }), undefined);
  });
});

describe("whether a gateway is alive now", () => {
  const target = { ...probe, addresses: ["192.0.2.10"], port: 4191 };

  /** Sends probes that come out so, the last one again and again. */
  async function seen(outcomes: readonly (string | undefined)[], of = target, stop?: AbortSignal) {
    const time = new VirtualTime();
    let sent = 0;
    const liveness = await livenessNow(of, { time, stop }, () => {
      const outcome = outcomes[Math.min(sent, outcomes.length - 1)];
      sent += 1;
      return Promise.resolve(outcome);
    });
    return { down: liveness.down, sent, waited: time.now() };
  }

  it("takes one probe that succeeds, however many have failed before", async () => {
    deepEqual(await seen([undefined]), { down: undefined, sent: 1, waited: 0 });
    deepEqual(await seen(["no", "no", undefined]), { down: undefined, sent: 3, waited: 2_000 });
  });

  it("takes as many that fail as the threshold says", async () => {
    deepEqual(await seen(["no"]), { down: "no", sent: 3, waited: 2_000 });
  });

  it("waits for the period where that is short", async () => {
    deepEqual(await seen(["no"], { ...target, period: "100ms" }), {
      ...{ down: "no", sent: 3, waited: 200 },
    });
  });

  it("is told within seconds, however high the threshold", async () => {
    deepEqual(await seen(["no"], { ...target, threshold: 999 }), {
      ...{ down: "no", sent: 5, waited: 4_000 },
    });
  });

  it("is nothing that a cancelled run finds out", async () => {
    const stopped = AbortSignal.abort();
    deepEqual(await seen(["no"], target, stopped), { down: undefined, sent: 1, waited: 0 });
  });
});
