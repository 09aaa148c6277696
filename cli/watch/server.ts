import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { messageOf, UserError } from "@linkerd-multicluster/engine/base";
import type { WatchMetrics } from "./metrics.ts";

export interface Served {
  /** The process makes progress. If it does not, it has to be restarted. */
  readonly isLive: () => boolean;
  /** The clusters were read once. */
  readonly isReady: () => boolean;
  readonly metrics: Omit<WatchMetrics, "observe">;
}

/** A request, and the next one on its connection, may take this many milliseconds, or silent clients would accumulate. */
const timeout = 5_000;

/** Serves `/livez`, `/readyz` and `/metrics`. @throws Error if it can't listen on the address */
export async function serve(
  { host, port }: { readonly host: string; readonly port: number },
  served: Served,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const timeouts = {
    requestTimeout: timeout,
    keepAliveTimeout: timeout,
    connectionsCheckingInterval: timeout,
  };
  const server = createServer(timeouts, (request, response) => {
    // Nobody waits for the answer to a client that has disconnected.
    for (const stream of [request, response]) stream.on("error", () => undefined);
    void answerTo(request, served).then(([code, text, type = "text/plain; charset=utf-8"]) =>
      response.writeHead(code, { "content-type": type }).end(text),
    );
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new UserError(`can't listen on ${host}:${port} (--listen): ${messageOf(error)}`);
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
  if (request.method !== "GET" && request.method !== "HEAD") return [405, "use GET\n"];
  if (!isForUs(request)) return [421, "use localhost or an IP address\n"];
  switch (request.url?.split("?")[0]) {
    case "/livez":
      return isLive() ? [200, "ok\n"] : [503, "a dry run is stuck\n"];
    case "/readyz":
      return isReady() ? [200, "ok\n"] : [503, "waiting for the state, or the first dry run\n"];
    case "/metrics":
      return [200, await metrics.text(), metrics.contentType];
    default:
      return [404, "use /livez, /readyz or /metrics\n"];
  }
}

/**
 * Over loopback, a request has to name this server. A browser on this machine sends the host name of the page, whose owner
 * may resolve it to 127.0.0.1 (DNS rebinding).
 */
function isForUs({ socket, headers }: IncomingMessage): boolean {
  if (!/^(::ffff:)?127\.|^::1$/.test(socket.localAddress ?? "")) return true;
  const name = (headers.host ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || isIP(name) !== 0;
}
