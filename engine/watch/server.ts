import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import type { WatchMetrics } from "./metrics.ts";

export interface Served {
  /** The process does what it is to do; where it does not, it has to be started again. */
  readonly isLive: () => boolean;
  /** The clusters were read once. */
  readonly isReady: () => boolean;
  readonly metrics: Omit<WatchMetrics, "observe">;
}

/** Connections at a time, for Prometheus, a kubelet and a person. One more is closed at once. */
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
  const server = createServer(timeouts, (request, response) => {
    // A client that goes away meanwhile is nobody's loss.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    if (request.method !== "GET" && request.method !== "HEAD")
      answer(response, 405, "only GET is served here\n");
    else if (!isForUs(request)) answer(response, 421, "this is reached by its IP or localhost\n");
    else void respond(request.url?.split("?")[0] ?? "", response, served);
  });
  server.maxConnections = mostConnections;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
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

/**
 * Whether a request that has come by this machine's loopback means it. The browser of a person who works here
 * sends the name of the page, whose owner may have it lead here too. The network is not ours to judge.
 */
function isForUs({ socket, headers }: IncomingMessage): boolean {
  if (!/^(::ffff:)?127\.|^::1$/.test(socket.localAddress ?? "")) return true;
  const name = (headers.host ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || isIP(name) !== 0;
}

async function respond(path: string, response: ServerResponse, served: Served): Promise<void> {
  const { isLive, isReady, metrics } = served;
  if (path === "/livez" && !isLive())
    answer(response, 503, "no dry run has ended well for longer than one may take\n");
  else if (path === "/readyz" && !isReady())
    answer(response, 503, "waiting for the state, or the first dry run\n");
  else if (path === "/livez" || path === "/readyz") answer(response, 200, "ok\n");
  else if (path === "/metrics") {
    const text = await metrics.text().catch(() => undefined);
    if (text === undefined) answer(response, 500, "the metrics can't be read\n");
    else answer(response, 200, text, metrics.contentType);
  } else answer(response, 404, "there are /livez, /readyz and /metrics\n");
}

function answer(
  response: ServerResponse,
  code: number,
  text: string,
  type = "text/plain; charset=utf-8",
): void {
  response.writeHead(code, { "content-type": type }).end(text);
}
