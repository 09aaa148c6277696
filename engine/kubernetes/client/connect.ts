import pLimit from "p-limit";
import { authenticatorOf } from "../kubeconfig/authentication.ts";
import { breakerOf } from "./breaker.ts";
import { clientOf } from "./client.ts";
import { bounds } from "../objects/bounds.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { dispatcherFor } from "./dispatcher.ts";
import type { ConnectOptions, Kubernetes } from "./interface.ts";
import {
  type ClusterAccess,
  type Environment,
  type Kubeconfig,
  KubeconfigError,
  processEnvironment,
  readKubeconfig,
} from "../kubeconfig/kubeconfig.ts";
import { debugLog } from "./log.ts";
import { proxyFor } from "../kubeconfig/proxy.ts";
import type { ListSettings } from "./paging.ts";
import { requesterOf } from "./request.ts";
import { retryPolicy, systemTime } from "./retry.ts";
import { sessionsOf } from "./session.ts";
import { type Watching, watchingOf } from "./watching.ts";

/** These fields of a kubeconfig contain no secret. */
export interface ApiServer {
  /** The https URL has no credentials. */
  readonly server: string;
  /** PEM in base64. Without it, a public authority has to have signed the server's certificate. */
  readonly certificateAuthority?: string;
  readonly tlsServerName?: string;
}

export interface Credentials extends ApiServer {
  readonly token: string;
}

/** A token takes the place of the context's user. */
export type ConnectWith =
  ClusterAccess | (ClusterAccess & { readonly token: string }) | Credentials;

/** Sends nothing before the first call. It throws KubeconfigError. */
export async function connect(
  to: ConnectWith,
  cluster: string,
  options: ConnectOptions = {},
): Promise<Kubernetes> {
  const { requester, lists } = await partsOf(to, cluster, options);
  return clientOf(cluster, requester, lists);
}

/** The client has connections of its own, since each watch occupies one. It throws KubeconfigError. */
export async function connectToWatch(
  to: ConnectWith,
  cluster: string,
  options: ConnectOptions = {},
): Promise<Watching> {
  const { requester, lists, time } = await partsOf(to, cluster, options);
  return watchingOf(cluster, requester, lists, time);
}

async function partsOf(to: ConnectWith, cluster: string, options: ConnectOptions) {
  const { environment = processEnvironment(), time = systemTime, retry = retryPolicy } = options;
  const { connections = 32, dispatcher = dispatcherFor } = options;
  const { connectTimeout = 5_000, requestTimeout = 30_000, pluginTimeout = 60_000 } = options;
  const { pageSize = 500, listTimeout = 300_000, cancellation } = options;
  const { variables } = environment;
  const { log = debugLog(variables) } = options;
  const { answer, items, list, kept } = bounds;
  const limits = {
    answer: answer.most,
    items: items.most,
    list: list.most,
    kept: kept.most,
    ...options.sizeLimits,
  };
  const read = () => kubeconfigOf(to, cluster, environment);
  const authenticator = (one: Kubeconfig) =>
    authenticatorOf(one, { variables, limit: pluginTimeout });
  const kubeconfig = await read();
  const { context } = kubeconfig;
  const server = new URL(kubeconfig.cluster.server);
  const proxy = proxyFor(server, kubeconfig.cluster["proxy-url"], variables);
  if (typeof proxy === "string")
    throw new KubeconfigError(cluster, `the way to the server of context ${context}: ${proxy}`);
  const sessions = sessionsOf({
    authenticate: authenticator(kubeconfig),
    reread: async () => authenticator(await read()),
    connect: (tls) => dispatcher({ server, proxy, tls, connections, connectTimeout }),
    proxy,
    time,
  });
  const requester = requesterOf({
    sessions,
    server,
    policy: retry,
    time,
    cancellation,
    requestTimeout,
    log,
    place: { cluster, context, server: server.origin },
    breaker: breakerOf(time),
    concurrency: pLimit(connections),
    mostBytes: limits.answer,
  });
  const lists: ListSettings = { pageSize, within: listTimeout, limits, time };
  return { requester, lists, time };
}

async function kubeconfigOf(
  to: ConnectWith,
  cluster: string,
  environment: Environment,
): Promise<Kubeconfig> {
  if ("server" in to) {
    const { server, certificateAuthority, tlsServerName, token } = to;
    const verified = omitUndefined({
      "certificate-authority-data": certificateAuthority,
      "tls-server-name": tlsServerName,
    });
    return { context: cluster, cluster: { server, ...verified }, user: { token } };
  }
  const kubeconfig = await readKubeconfig(to, cluster, environment);
  return "token" in to ? { ...kubeconfig, user: { token: to.token } } : kubeconfig;
}
