import { setTimeout } from "node:timers/promises";
import { AccessError, type Environment, readKubeconfig } from "../kubernetes/kubeconfig.ts";
import { Client } from "../kubernetes/client.ts";
import type { Kubernetes } from "../kubernetes/interface.ts";
import { Requester } from "../kubernetes/request.ts";
import { retryPolicy } from "../kubernetes/retry.ts";
import { Sessions } from "../kubernetes/session.ts";
import type { ClusterAccess } from "../mirroring/model/link.ts";

const time = {
  now: () => performance.now(),
  sleep: (milliseconds: number) => setTimeout(milliseconds),
  random: () => Math.random(),
};

/**
 * A client that goes the runner's own way to the cluster, but has nothing to show there except the
 * given token. Throws AccessError as `connect` does.
 */
export async function connectWithToken(
  access: ClusterAccess,
  cluster: string,
  token: string,
  environment?: Environment,
): Promise<Kubernetes> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const entry = (await readKubeconfig(access, cluster, environment)).getCurrentCluster();
  if (entry === null) throw new AccessError(cluster, `context ${access.context} is for no cluster`);
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromOptions({
    clusters: [entry],
    users: [{ name: "token", token }],
    contexts: [{ name: access.context, cluster: entry.name, user: "token" }],
    currentContext: access.context,
  });
  const server = new URL(entry.server);
  const connections = { connections: 8, connectTimeout: 5_000 };
  const sessions = new Sessions(kubeconfig, () => Promise.resolve(kubeconfig), connections, time);
  const requester = new Requester(sessions, {
    place: { cluster, context: access.context, server: server.origin },
    server,
    policy: retryPolicy,
    time,
    requestTimeout: 30_000,
    userAgent: "linkerd-multicluster/0.1.0",
  });
  return new Client(cluster, requester, 500);
}
