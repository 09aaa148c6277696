import type { ConnectionOptions } from "node:tls";
import { Agent, type Dispatcher, EnvHttpProxyAgent, ProxyAgent } from "undici";

export type { Dispatcher };

/** The part of TLS that a kubeconfig decides. */
export type Tls = Pick<
  ConnectionOptions,
  "ca" | "cert" | "key" | "passphrase" | "pfx" | "rejectUnauthorized" | "servername"
>;

/** Where connections lead, and how. */
export interface Route {
  readonly server: URL;
  /** `proxy-url` of the kubeconfig; without one the environment's proxy settings hold. */
  readonly proxy: string | undefined;
  readonly tls: Tls;
  readonly connections: number;
  /** Milliseconds for name lookup, TCP and TLS together. */
  readonly connectTimeout: number;
}

/** Longer than between two phases of a run, shorter than the idle time-out of load balancers. */
const keepAliveTimeout = 20_000;

/** Connections to one API server, kept open between requests. An idle one keeps no process alive. */
export function dispatcherFor(route: Route): Dispatcher {
  const { connections, connectTimeout, tls } = route;
  // HTTP/2 is slower here: 440 writes/s against 540 on two cores.
  const connect = { ...tls, timeout: connectTimeout, allowH2: false };
  const shared = { connections, connectTimeout, keepAliveTimeout, allowH2: false };
  if (route.proxy !== undefined) {
    return new ProxyAgent({ ...shared, uri: route.proxy, requestTls: connect });
  }
  // As Go's clients: never through a proxy to this machine.
  return isLoopback(route.server.hostname)
    ? new Agent({ ...shared, connect })
    : new EnvHttpProxyAgent({ ...shared, connect, requestTls: connect });
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
