import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import type { ListenAddress } from "./listen-address.ts";

export interface Observable {
  /** The process does what it is to do; where it does not, it has to be started again. */
  readonly isLive: () => boolean;
  /** It has looked at the clusters once. */
  readonly isReady: () => boolean;
  readonly metrics: {
    readonly contentType: string;
    text(): Promise<string>;
  };
}

export interface ObservabilityServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Connections at a time, for Prometheus, a kubelet and a person. One more is closed at once. */
const mostConnections = 32;

/** Milliseconds that a request may take to arrive, and a connection to bring the next one. */
const patience = 5_000;

/**
 * Serves `/livez`, `/readyz` and `/metrics`: nothing that is secret, and nothing that changes anything.
 *
 * @throws Error with a sentence if the address can't be listened on
 */
export async function serveObservability(
  { host, port }: ListenAddress,
  observable: Observable,
): Promise<ObservabilityServer> {
  const timeouts = {
    ...{ requestTimeout: patience, keepAliveTimeout: patience },
    connectionsCheckingInterval: patience,
  };
  const server = createServer(timeouts, (request, response) => {
    // A client that goes away meanwhile is nobody's loss.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    if (request.method !== "GET" && request.method !== "HEAD")
      answer(response, 405, "only GET is served here\n");
    else if (!isForUs(request)) answer(response, 421, "this is reached by its IP or localhost\n");
    else respond(request.url?.split("?")[0] ?? "", response, observable);
  });
  server.maxConnections = mostConnections;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Can't listen on ${host}:${port}, as --listen says: ${why}.`, { cause: error });
  }
  const { port: actual } = server.address() as AddressInfo;
  return {
    port: actual,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Whether a request that has come by this machine's loopback means it. The browser of a person who works here sends
 * the name of the page, whose owner may have it lead here too. What comes over the network is up to the network.
 */
function isForUs({ socket, headers }: IncomingMessage): boolean {
  if (!/^(::ffff:)?127\.|^::1$/.test(socket.localAddress ?? "")) return true;
  const name = (headers.host ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || isIP(name) !== 0;
}

function respond(path: string, response: ServerResponse, observable: Observable): void {
  const { metrics } = observable;
  if (path === "/livez") {
    if (observable.isLive()) answer(response, 200, "ok\n");
    else
      answer(
        response,
        503,
        "a look or a wait has not come to a good end for longer than it may take\n",
      );
  } else if (path === "/readyz") {
    if (observable.isReady()) answer(response, 200, "ok\n");
    else answer(response, 503, "waiting for the state, or the first look at the clusters\n");
  } else if (path === "/metrics") {
    metrics.text().then(
      (text) => {
        answer(response, 200, text, metrics.contentType);
      },
      () => {
        answer(response, 500, "the metrics can't be read\n");
      },
    );
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
