import { setTimeout } from "node:timers/promises";
import type { ClusterAccess } from "../mirroring/model/link.ts";
import { AccessError, processEnvironment, readKubeconfig } from "./kubeconfig.ts";
import { Client } from "./client.ts";
import type { ConnectOptions, Kubernetes } from "./interface.ts";
import { Requester } from "./request.ts";
import { retryPolicy, type Time } from "./retry.ts";
import { Sessions } from "./session.ts";

const realTime: Time = {
  now: () => performance.now(),
  sleep: (milliseconds) => setTimeout(milliseconds),
  random: () => Math.random(),
};

/** The part before the slash is what `managedFields` shows as the manager of our fields. */
const userAgent = "linkerd-multicluster/0.1.0";

/**
 * A client for the cluster that `access` leads to, called `cluster` in messages. Throws AccessError
 * if the kubeconfig doesn't lead there; sends nothing before the first call.
 */
export async function connect(
  access: ClusterAccess,
  cluster: string,
  options: ConnectOptions = {},
): Promise<Kubernetes> {
  const { time = realTime, environment = processEnvironment() } = options;
  const { connections = 32, connectTimeout = 5_000, requestTimeout = 30_000 } = options;
  const read = () => readKubeconfig(access, cluster, environment);
  const kubeconfig = await read();
  const entry = kubeconfig.getCurrentCluster();
  if (entry === null) {
    throw new AccessError(cluster, `context ${access.context} is for no cluster`);
  }
  const server = new URL(entry.server);
  const sessions = new Sessions(kubeconfig, read, { connections, connectTimeout }, time);
  const requester = new Requester(sessions, {
    place: { cluster, context: access.context, server: server.origin },
    server,
    policy: options.retry ?? retryPolicy,
    time,
    requestTimeout,
    userAgent,
  });
  return new Client(cluster, requester, options.pageSize ?? 500);
}
