import { deepEqual, equal, match } from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { probeGateway, type ProbeTarget, sendProbe } from "../../../engine/reading/gateway.ts";
import { systemTime, type Time } from "../../../engine/kubernetes/client/retry.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { known, link, noGateway, west } from "../fixtures/link.ts";
import { service } from "../fixtures/objects.ts";

const probe = { path: "/ready" };
const closers: (() => void)[] = [];

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

  it("succeeds with status 200 alone", async () => {
    equal(await sendProbe(await gateway(status(200))), undefined);
    for (const code of [204, 503])
      equal(await sendProbe(await gateway(status(code))), `HTTP status ${code}`);
  });

  it("is a plain GET of the path, without the runner's credentials or proxy", async () => {
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
  for (const [what, accept, failure, time] of [
    ["is silent", () => undefined, /^no answer within 1.5 s$/, hurried],
    ["answers too slowly", trickle, /^no answer within 1.5 s$/, hurried],
    ["hangs up", (socket: Socket) => socket.end(), /the connection was lost|closed/],
    ["speaks SSH", (socket: Socket) => socket.end("SSH-2.0-x\r\n"), /the request failed/],
    ["never ends its headers", (socket: Socket) => socket.write(endless), /HPE_HEADER_OVERFLOW/],
  ] as const)
    it(`fails if the gateway ${what}`, async () => {
      match((await sendProbe(await listener(accept), time)) ?? "", failure);
    });

  it("fails if nothing listens", async () => {
    const gone = await gateway(status(200));
    for (const close of closers.splice(0)) close();
    equal(await sendProbe(gone), "the connection was refused (ECONNREFUSED)");
  });

  it("succeeds as soon as one address of the gateway answers", async () => {
    const silent = await listener(() => undefined);
    const answering = createServer(status(200)).listen(silent.port, "127.0.0.2");
    closers.push(() => answering.close());
    await once(answering, "listening");
    const both = { ...silent, addresses: ["127.0.0.1", "127.0.0.2"] };
    const never: Time = { ...systemTime, alarm: () => () => undefined };
    equal(await sendProbe(both, never), undefined);
  });
});

describe("whether the gateway of a link is alive", () => {
  const annotations = {
    "mirror.linkerd.io/probe-path": "/ready",
    "mirror.linkerd.io/probe-period": "3",
  };
  const ports = [{ name: "mc-probe", port: 4191 }];
  const offering = service("linkerd-multicluster/linkerd-gateway", { annotations }, { ports });
  const silent = service("linkerd-multicluster/linkerd-gateway");
  const where = "west/linkerd-multicluster/linkerd-gateway";
  const asked = { path: "/ready", port: 4191 };
  const answered = { ...asked, milliseconds: 20 };
  const why = `the gateway Service ${where} offers no probe: it needs the annotation mirror.linkerd.io/probe-path and a port named mc-probe`;
  const down = "HTTP status 503";
  const asks = { gatewayProbe: true };

  for (const [rule, of, offered, reading, answer, expected, sent] of [
    ["is the result of one GET", asks, offering, known(), undefined, answered, 1],
    ["is why the GET failed", asks, offering, known(), down, { ...answered, down }, 1],
    ["is not read if the link has no probe", {}, offering, known(), down, undefined, 0],
    ["is not read if the gateway is unknown", asks, offering, noGateway, down, undefined, 0],
    ["is unknown if the gateway offers no probe", asks, silent, known(), down, { why }, 0],
  ] as const)
    it(rule, async () => {
      const targets: ProbeTarget[] = [];
      const time = new VirtualTime();
      const send = (target: ProbeTarget) => {
        targets.push(target);
        time.pass(20);
        return Promise.resolve(answer);
      };
      const found = await probeGateway(link(of), west([offered]), reading, { time, send });
      deepEqual(found, expected);
      deepEqual(targets, sent === 1 ? [{ ...asked, addresses: ["192.0.2.10"] }] : []);
    });

  const quiet = { why: "the prober has said nothing" };
  for (const [rule, of, said, expected] of [
    ["is the prober's before the runner's", asks, { milliseconds: 8 }, { milliseconds: 8 }],
    ["is why the prober finds it down", {}, { down, milliseconds: 0 }, { down, milliseconds: 0 }],
  ] as const)
    it(rule, async () => {
      const send = () => Promise.reject(new Error("the runner has asked"));
      const asking = { said, send };
      const found = await probeGateway(link(of), west([offering]), known(), asking);
      deepEqual(found, { ...asked, ...expected, isByProber: true });
    });

  it("is the runner's while the prober is silent, if the link has the runner ask", async () => {
    const asking = { said: quiet, send: () => Promise.resolve(undefined) };
    const ofBoth = await probeGateway(link(asks), west([offering]), known(), asking);
    deepEqual(ofBoth !== undefined && "down" in ofBoth, false);
    deepEqual(await probeGateway(link(), west([offering]), known(), asking), quiet);
  });
});
