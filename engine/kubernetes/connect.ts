import type { Cluster, KubeConfig } from "@kubernetes/client-node";
import { programVersion } from "../version.ts";
import { Breaker, breakerPolicy } from "./breaker.ts";
import { Client } from "./client.ts";
import { dispatcherFor } from "./dispatcher.ts";
import type { ConnectOptions, Kubernetes } from "./interface.ts";
import {
  type ClusterAccess,
  currentServer,
  type Environment,
  processEnvironment,
  readKubeconfig,
} from "./kubeconfig.ts";
import { debugLog } from "./log.ts";
import { Requester } from "./request.ts";
import { retryPolicy, systemTime } from "./retry.ts";
import { Sessions } from "./session.ts";

/** An API server as a kubeconfig names it. Nothing in it is secret. */
export interface ApiServer {
  /** https URL without credentials. */
  readonly server: string;
  /** PEM certificates in base64; absent: the server's certificate is of a public authority. */
  readonly certificateAuthority?: string;
  readonly tlsServerName?: string;
}

/** All that it takes to use a cluster without a kubeconfig. */
export interface Credentials extends ApiServer {
  readonly token: string;
}

/**
 * What a client connects with: a context of the runner's kubeconfig; the API server of that context
 * with nothing but the given token; or credentials alone, with nothing of the runner's.
 */
export type ConnectWith =
  ClusterAccess | (ClusterAccess & { readonly token: string }) | Credentials;

/**
 * A client for one cluster, called `cluster` in messages; sends nothing before the first call.
 *
 * @throws KubeconfigError if the kubeconfig does not have the context, or not what it refers to
 */
export async function connect(
  to: ConnectWith,
  cluster: string,
  options: ConnectOptions = {},
): Promise<Kubernetes> {
  const { time = systemTime, environment = processEnvironment() } = options;
  const { connections = 32, connectTimeout = 5_000, requestTimeout = 30_000 } = options;
  const { dispatcher = dispatcherFor, log = debugLog(environment.variables) } = options;
  const read = () => kubeconfigOf(to, cluster, environment);
  const kubeconfig = await read();
  const entry = currentServer(kubeconfig, cluster);
  const server = new URL(entry.server);
  const sessions = new Sessions(
    kubeconfig,
    read,
    { connections, connectTimeout, dispatcher },
    time,
  );
  const requester = new Requester(sessions, {
    place: { cluster, context: kubeconfig.getCurrentContext(), server: server.origin },
    server,
    policy: options.retry ?? retryPolicy,
    breaker: new Breaker(breakerPolicy, time),
    time,
    cancellation: options.cancellation,
    requestTimeout,
    userAgent: programVersion,
    log,
  });
  const { pageSize = 500, listTimeout = 300_000 } = options;
  return new Client(cluster, requester, { pageSize, within: listTimeout, time });
}

async function kubeconfigOf(
  to: ConnectWith,
  cluster: string,
  environment: Environment,
): Promise<KubeConfig> {
  if ("server" in to) return withToken(entryOf(to, cluster), to.token, cluster);
  const kubeconfig = await readKubeconfig(to, cluster, environment);
  return "token" in to
    ? withToken(currentServer(kubeconfig, cluster), to.token, to.context)
    : kubeconfig;
}

/** A kubeconfig with this one cluster entry, and this token as its only credential. */
async function withToken(entry: Cluster, token: string, context: string): Promise<KubeConfig> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromOptions({
    clusters: [entry],
    users: [{ name: "token", token }],
    contexts: [{ name: context, cluster: entry.name, user: "token" }],
    currentContext: context,
  });
  return kubeconfig;
}

function entryOf(
  { server, certificateAuthority, tlsServerName }: ApiServer,
  name: string,
): Cluster {
  return {
    ...{ name, server, skipTLSVerify: false },
    ...(certificateAuthority !== undefined && { caData: certificateAuthority }),
    ...(tlsServerName !== undefined && { tlsServerName }),
  };
}
