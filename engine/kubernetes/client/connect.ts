import pLimit from "p-limit";
import { programVersion } from "../../version.ts";
import { authenticatorOf } from "../kubeconfig/authentication.ts";
import { breakerOf } from "./breaker.ts";
import { clientOf } from "./client.ts";
import { omitUndefined } from "../objects/omit-undefined.ts";
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
import { sizeLimits } from "./size-limits.ts";
import { type Watching, watchingOf } from "./watching.ts";

/** An API server as a kubeconfig describes it, without secrets. */
export interface ApiServer {
  /** An https URL without credentials. */
  readonly server: string;
  /** PEM certificates in base64. Without them, a public authority has to have signed the server's certificate. */
  readonly certificateAuthority?: string;
  readonly tlsServerName?: string;
}

/** Everything that a client needs in place of a kubeconfig. */
export interface Credentials extends ApiServer {
  readonly token: string;
}

/**
 * A client uses a context of the runner's kubeconfig, the API server of that context with the given token alone, or
 * credentials that have nothing to do with the runner's kubeconfig.
 */
export type ConnectWith =
  ClusterAccess | (ClusterAccess & { readonly token: string }) | Credentials;

/**
 * Makes a client for one cluster, which messages call `cluster`. It sends nothing before the first call.
 *
 * @throws KubeconfigError if the kubeconfig lacks the context or an entry that the context refers to
 */
export async function connect(
  to: ConnectWith,
  cluster: string,
  options: ConnectOptions = {},
): Promise<Kubernetes> {
  const { requester, lists } = await partsOf(to, cluster, options);
  return clientOf(cluster, requester, lists);
}

/**
 * Makes a client that watches a cluster, with connections of its own, since each watch occupies one.
 *
 * @throws KubeconfigError
 */
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
  const limits = { ...sizeLimits, ...options.sizeLimits };
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
    userAgent: programVersion,
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
