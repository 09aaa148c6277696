import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, isIP, type Socket } from "node:net";
import { messageOf } from "@linkerd-multicluster/engine/kubernetes";
import type { WatchMetrics } from "./metrics.ts";

export interface Served {
  /** The process does what it is to do; where it does not, it has to be started again. */
  readonly isLive: () => boolean;
  /** The clusters were read once. */
  readonly isReady: () => boolean;
  readonly metrics: Omit<WatchMetrics, "observe">;
}

/** Connections at a time, for Prometheus, a kubelet and a person. One more ends the one that has been silent longest. */
const mostConnections = 32;

/** Milliseconds that a request may take to arrive, and a connection to bring the next one. */
const timeout = 5_000;

/**
 * Serves `/livez`, `/readyz` and `/metrics`: nothing that is secret, and nothing that changes anything.
 *
 * @throws Error with a sentence if the address can't be listened on
 */
export async function serve(
  { host, port }: { readonly host: string; readonly port: number },
  served: Served,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const timeouts = {
    ...{ requestTimeout: timeout, keepAliveTimeout: timeout, connectionsCheckingInterval: timeout },
  };
  /** Those that have sent nothing for longest come first. */
  const open = new Set<Socket>();
  const heard = (socket: Socket) => {
    open.delete(socket);
    open.add(socket);
  };
  const server = createServer(timeouts, (request, response) => {
    heard(request.socket);
    // A client that goes away meanwhile is nobody's loss.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    answerTo(request, served).then(
      ([code, text, type = "text/plain; charset=utf-8"]) =>
        response.writeHead(code, { "content-type": type }).end(text),
      () => response.writeHead(500).end("the metrics can't be read\n"),
    );
  });
  server.on("connection", (socket) => {
    heard(socket);
    socket.once("close", () => open.delete(socket));
    const [silent] = open;
    if (open.size > mostConnections) silent?.destroy();
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const why = messageOf(error);
    throw new Error(`Can't listen on ${host}:${port}, as --listen says: ${why}.`, { cause: error });
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answerTo(
  request: IncomingMessage,
  { isLive, isReady, metrics }: Served,
): Promise<readonly [code: number, text: string, type?: string]> {
  if (request.method !== "GET" && request.method !== "HEAD")
    return [405, "only GET is served here\n"];
  if (!isForUs(request)) return [421, "this is reached by its IP or localhost\n"];
  switch (request.url?.split("?")[0]) {
    case "/livez":
      if (isLive()) return [200, "ok\n"];
      return [503, "no dry run has ended well for longer than one may take\n"];
    case "/readyz":
      return isReady() ? [200, "ok\n"] : [503, "waiting for the state, or the first dry run\n"];
    case "/metrics":
      return [200, await metrics.text(), metrics.contentType];
    default:
      return [404, "there are /livez, /readyz and /metrics\n"];
  }
}

/**
 * Whether a request that has come by this machine's loopback means it. The browser of a person who works here
 * sends the name of the page, whose owner may have it lead here too. The network is not ours to judge.
 */
function isForUs({ socket, headers }: IncomingMessage): boolean {
  if (!/^(::ffff:)?127\.|^::1$/.test(socket.localAddress ?? "")) return true;
  const name = (headers.host ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || isIP(name) !== 0;
}
