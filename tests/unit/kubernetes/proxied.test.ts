import assert from "node:assert/strict";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import type { Duplex } from "node:stream";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { certificate, noOpenssl } from "./certificate.ts";
import {
  errorOf,
  listen,
  type ScriptedCluster,
  type ScriptedOptions,
  serviceList,
  withCluster,
  withFolder,
} from "./scripted-cluster.ts";

interface TestProxy {
  readonly server: net.Server;
  /** What it was asked for, and by whom. */
  readonly asked: { readonly target: string; readonly authorization?: string | undefined }[];
  /** The port on this machine that all tunnels lead to. */
  port: number;
}

function tunnel(socket: Duplex, port: number, open: () => void): void {
  const upstream = net.connect(port, "127.0.0.1", () => {
    open();
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on("error", () => socket.destroy());
  socket.on("error", () => upstream.destroy());
}

/** Answers CONNECT, over TLS if there is a certificate. */
function connectProxy(tls?: https.ServerOptions, status = 200): TestProxy {
  const server = tls === undefined ? http.createServer() : https.createServer(tls);
  const proxy: TestProxy = { server, asked: [], port: 0 };
  server.on("connect", (request: http.IncomingMessage, socket: Duplex) => {
    const authorization = request.headers["proxy-authorization"];
    proxy.asked.push({ target: request.url ?? "", authorization });
    if (status === 200)
      tunnel(socket, proxy.port, () => void socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    else socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
  });
  return proxy;
}

/** SOCKS 5 without a login, to names (RFC 1928). */
function socksProxy(): TestProxy {
  const server = net.createServer((socket) => {
    socket.once("data", () => {
      socket.write(Buffer.from([5, 0]));
      socket.once("data", (request) => {
        const end = 5 + (request[4] ?? 0);
        const target = `${request.toString("latin1", 5, end)}:${request.readUInt16BE(end)}`;
        proxy.asked.push({ target });
        tunnel(
          socket,
          proxy.port,
          () => void socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])),
        );
      });
    });
    socket.on("error", () => socket.destroy());
  });
  const proxy: TestProxy = { server, asked: [], port: 0 };
  return proxy;
}

/** West at a name that only the proxy can reach, with `options` for the address of the proxy. */
function withProxy(
  make: (certificates: Awaited<ReturnType<typeof certificate>>) => TestProxy,
  options: (port: number) => ScriptedOptions,
  test: (cluster: ScriptedCluster, proxy: TestProxy) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    const tls = await certificate(folder, "server");
    const proxy = make(tls);
    const { clusterEntry, ...rest } = options(await listen(proxy.server));
    try {
      await withCluster(
        () => serviceList(["a"]),
        (cluster) => {
          proxy.port = Number(new URL(cluster.url).port);
          return test(cluster, proxy);
        },
        {
          tls,
          ...rest,
          clusterEntry: {
            server: "https://west.test:6443",
            "certificate-authority-data": tls.certData,
            ...clusterEntry,
          },
        },
      );
    } finally {
      proxy.server.close();
    }
  });
}

const listed = async ({ client }: ScriptedCluster) =>
  (await client.list(resources.services)).length;

const environment = (variables: Readonly<Record<string, string>>): ScriptedOptions => ({
  environment: { variables, home: "/nowhere" },
});

const proxyUrl = (url: string): ScriptedOptions => ({ clusterEntry: { "proxy-url": url } });

describe(`connections through a proxy${noOpenssl ? " (skipped: no openssl on PATH to make certificates)" : ""}`, () => {
  before(function () {
    if (noOpenssl) this.skip();
  });

  it("go through the kubeconfig's, with its user and password", () =>
    withProxy(
      () => connectProxy(),
      (port) => proxyUrl(`http://me:p%40ss@127.0.0.1:${port}`),
      async (cluster, { asked }) => {
        assert.equal(await listed(cluster), 1);
        const authorization = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
        assert.deepEqual(asked, [{ target: "west.test:6443", authorization }]);
      },
    ));

  it("go through one that speaks TLS with a certificate of the cluster's authority", () =>
    withProxy(
      (tls) => connectProxy(tls),
      (port) => proxyUrl(`https://localhost:${port}`),
      async (cluster, { asked }) => {
        assert.equal(await listed(cluster), 1);
        assert.equal(asked.length, 1);
      },
    ));

  it("go through one that speaks SOCKS 5, which looks up names", () =>
    withProxy(
      socksProxy,
      (port) => proxyUrl(`socks5://127.0.0.1:${port}`),
      async (cluster, { asked }) => {
        assert.equal(await listed(cluster), 1);
        assert.deepEqual(asked, [{ target: "west.test:6443" }]);
      },
    ));

  it("go through the environment's, which may be without a scheme", () =>
    withProxy(
      () => connectProxy(),
      (port) => environment({ HTTPS_PROXY: `127.0.0.1:${port}`, NO_PROXY: "east.test" }),
      async (cluster, { asked }) => {
        assert.equal(await listed(cluster), 1);
        assert.equal(asked.length, 1);
      },
    ));

  it("that the proxy refuses are told with what names the proxy, and not its address", () =>
    withProxy(
      () => connectProxy(undefined, 407),
      (port) => environment({ HTTPS_PROXY: `http://me:canary@127.0.0.1:${port}` }),
      async (cluster) => {
        const { message } = await errorOf(listed(cluster));
        assert.match(
          message,
          /the proxy refused the connection \(UND_ERR_ABORTED\), through the proxy that HTTPS_PROXY names/,
        );
        assert.doesNotMatch(message, /canary|127\.0\.0\.1/);
      },
    ));

  it("are not tried with a proxy that is none, which is a mistake of the kubeconfig", () =>
    assert.rejects(
      withProxy(
        () => connectProxy(),
        () => proxyUrl("http://me:canary#@127.0.0.1"),
        () => Promise.resolve(),
      ),
      {
        name: "KubeconfigError",
        message:
          "cluster west: the way to the server of context k3d-west: proxy-url is not the URL of a proxy, such as http://proxy.example.com:3128; reserved characters in a user name or password have to be percent-encoded",
      },
    ));
});
