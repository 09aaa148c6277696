import { deepEqual, doesNotMatch, equal, match, rejects } from "node:assert/strict";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import type { Duplex } from "node:stream";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { tlsCertificate } from "../trust/certificates.ts";
import {
  errorOf,
  forEachTest,
  listen,
  type ScriptedOptions,
  serviceList,
} from "./scripted-cluster.ts";

/** All tunnels of this proxy lead to one port of this machine. */
class TestProxy {
  readonly server: net.Server;
  readonly asked: { readonly target: string; readonly authorization?: string | undefined }[] = [];
  port = 0;

  constructor(server: net.Server) {
    this.server = server;
  }

  tunnel(socket: Duplex, opened: string | Buffer): void {
    const upstream = net.connect(this.port, "127.0.0.1", () => {
      socket.write(opened);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  }
}

/** Answers CONNECT, over TLS if there is a certificate. */
function connectProxy(tls?: https.ServerOptions, status = 200): TestProxy {
  const proxy = new TestProxy(tls === undefined ? http.createServer() : https.createServer(tls));
  proxy.server.on("connect", ({ url = "", headers }: http.IncomingMessage, socket: Duplex) => {
    proxy.asked.push({ target: url, authorization: headers["proxy-authorization"] });
    if (status === 200) proxy.tunnel(socket, "HTTP/1.1 200 OK\r\n\r\n");
    else socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
  });
  return proxy;
}

/** Speaks SOCKS 5 without a login, to names (RFC 1928). */
function socksProxy(): TestProxy {
  const server = net.createServer((socket) => {
    socket.once("data", () => {
      socket.write(Buffer.from([5, 0]));
      socket.once("data", (request) => {
        const end = 5 + (request[4] ?? 0);
        const target = `${request.toString("latin1", 5, end)}:${request.readUInt16BE(end)}`;
        proxy.asked.push({ target });
        proxy.tunnel(socket, Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
      });
    });
    socket.on("error", () => socket.destroy());
  });
  const proxy = new TestProxy(server);
  return proxy;
}

describe("connections through a proxy", () => {
  const { open } = forEachTest();
  const tls = tlsCertificate("server");
  let servers: net.Server[] = [];
  afterEach(() => {
    for (const server of servers) server.close();
    servers = [];
  });

  /** Lists the Services of west, whose name only the proxy can resolve. */
  const listing = async (proxy: TestProxy, options: (port: number) => ScriptedOptions) => {
    servers.push(proxy.server);
    const { clusterEntry, ...rest } = options(await listen(proxy.server));
    const west = { server: "https://west.test:6443", "certificate-authority-data": tls.certData };
    const { client, url } = await open(() => serviceList(["a"]), {
      tls,
      ...rest,
      clusterEntry: { ...west, ...clusterEntry },
    });
    proxy.port = Number(new URL(url).port);
    return client.list(resources.services);
  };
  const proxyUrl = (url: string): ScriptedOptions => ({ clusterEntry: { "proxy-url": url } });
  const target = "west.test:6443";

  it("use the kubeconfig's proxy, with its user and password", async () => {
    const proxy = connectProxy();
    equal(
      (await listing(proxy, (port) => proxyUrl(`http://me:p%40ss@127.0.0.1:${port}`))).length,
      1,
    );
    const authorization = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    deepEqual(proxy.asked, [{ target, authorization }]);
  });

  it("use a SOCKS 5 proxy, which resolves names", async () => {
    const proxy = socksProxy();
    equal((await listing(proxy, (port) => proxyUrl(`socks5://127.0.0.1:${port}`))).length, 1);
    deepEqual(proxy.asked, [{ target }]);
  });

  it("fail if an unknown authority signed the proxy's certificate", async () => {
    const proxy = connectProxy(tls);
    const listed = listing(proxy, (port) => proxyUrl(`https://localhost:${port}`));
    equal((await errorOf(listed)).reason, "DEPTH_ZERO_SELF_SIGNED_CERT");
    deepEqual(proxy.asked, []);
  });

  it("are reported with the setting that names the proxy, and without its address, if the proxy refuses them", async () => {
    const listed = listing(connectProxy(undefined, 407), (port) => {
      const variables = { HTTPS_PROXY: `http://me:canary@127.0.0.1:${port}` };
      return { environment: { variables, home: "/nowhere" } };
    });
    const { message } = await errorOf(listed);
    match(
      message,
      /the proxy refused the connection \(UND_ERR_ABORTED\), through the proxy that HTTPS_PROXY names/,
    );
    doesNotMatch(message, /canary|127\.0\.0\.1/);
  });

  it("are refused if the kubeconfig's proxy-url is not valid", () =>
    rejects(
      open(() => "reset", proxyUrl("http://me:canary#@127.0.0.1")),
      {
        name: "KubeconfigError",
        message:
          /^cluster west: the way to the server of context k3d-west: proxy-url is not the URL/,
      },
    ));
});
