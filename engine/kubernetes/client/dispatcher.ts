import { createRequire } from "node:module";
import type * as Undici from "undici";
import { lazily } from "../../base/lazily.ts";
import type { Tls } from "../kubeconfig/authentication.ts";
import type { Proxy } from "../kubeconfig/proxy.ts";

const require = createRequire(import.meta.url);
/**
 * The program has functions of this client's in its code, but mostly sends nothing. undici as a whole, with fetch and
 * WebSockets, is five times as many files.
 */
const undici = lazily(() => {
  const { prototype } = require("undici/lib/dispatcher/dispatcher.js") as typeof Undici.Dispatcher;
  Object.assign(prototype, { request: require("undici/lib/api/api-request.js") as unknown });
  return {
    Agent: require("undici/lib/dispatcher/agent.js") as typeof Undici.Agent,
    ProxyAgent: require("undici/lib/dispatcher/proxy-agent.js") as typeof Undici.ProxyAgent,
  };
});

/** Otherwise it loads with the first client. */
export const loadedAgent = (): typeof Undici.Agent => undici.Agent;

export interface Route {
  readonly server: URL;
  /** Without one, connections are direct, whatever the environment says. */
  readonly proxy: Proxy | undefined;
  readonly tls: Tls;
  readonly connections: number;
  readonly connectTimeout: number;
}

/** This is longer than the pause between two phases of a run, and shorter than the idle time-out of load balancers. */
const keepAliveTimeout = 20_000;

/** Connections stay open between requests. An idle one keeps no process alive. */
export function dispatcherFor(route: Route): Undici.Dispatcher {
  const { connections, connectTimeout, tls, proxy } = route;
  // HTTP/2 is slower here: 440 writes/s against 540 on two cores.
  const connect = { ...tls, timeout: connectTimeout, allowH2: false };
  const shared = { connections, connectTimeout, keepAliveTimeout, allowH2: false };
  if (proxy === undefined) return new undici.Agent({ ...shared, connect });
  const { href, protocol } = proxy.url;
  return new undici.ProxyAgent({
    ...shared,
    uri: href,
    requestTls: connect,
    // With a SOCKS proxy, undici takes any settings to mean that it speaks TLS.
    ...(protocol === "https:" && { proxyTls: { rejectUnauthorized: true } }),
  });
}
