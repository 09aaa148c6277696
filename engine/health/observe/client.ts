import { setTimeout } from "node:timers/promises";
import { Client } from "../../kubernetes/client.ts";
import type { Kubernetes } from "../../kubernetes/interface.ts";
import { Requester } from "../../kubernetes/request.ts";
import { retryPolicy } from "../../kubernetes/retry.ts";
import { Sessions } from "../../kubernetes/session.ts";
import type { Credentials } from "./kubeconfig.ts";

const time = {
  now: () => performance.now(),
  sleep: (milliseconds: number) => setTimeout(milliseconds),
  random: () => Math.random(),
};

/** A client that has nothing but these credentials, none of the runner's. */
export async function connectAs(
  { server, certificateAuthority, tlsServerName, token }: Credentials,
  cluster: string,
): Promise<Kubernetes> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromOptions({
    clusters: [
      {
        ...{ name: cluster, server, skipTLSVerify: false },
        ...(certificateAuthority !== undefined && { caData: certificateAuthority }),
        ...(tlsServerName !== undefined && { tlsServerName }),
      },
    ],
    users: [{ name: "token", token }],
    contexts: [{ name: cluster, cluster, user: "token" }],
    currentContext: cluster,
  });
  const url = new URL(server);
  const connections = { connections: 8, connectTimeout: 5_000 };
  const sessions = new Sessions(kubeconfig, () => Promise.resolve(kubeconfig), connections, time);
  const requester = new Requester(sessions, {
    place: { cluster, context: cluster, server: url.origin },
    server: url,
    policy: retryPolicy,
    time,
    requestTimeout: 30_000,
    userAgent: "linkerd-multicluster/0.1.0",
  });
  return new Client(cluster, requester, 500);
}
