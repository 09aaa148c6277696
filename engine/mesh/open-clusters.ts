import { connect } from "../kubernetes/client/connect.ts";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { debugLog } from "../kubernetes/client/log.ts";
import { type Identities, identify, sameClusters } from "../kubernetes/identity.ts";
import {
  type ClusterAccess,
  KubeconfigError,
  KubeconfigPending,
} from "../kubernetes/kubeconfig/kubeconfig.ts";
import { failureOf, type Result } from "../result.ts";

/** The clusters of a stack as they are at the start of a run. */
export interface OpenedClusters {
  /** A client for each cluster, by its name. */
  readonly clusters: ReadonlyMap<string, Result<Kubernetes>>;
  /** Undefined for a cluster that is refused as well. */
  readonly uids: Identities;
  /** Clusters, by name, to which two names of the config lead. Nothing is read from them. */
  readonly refused: ReadonlyMap<string, string>;
  /** Contexts to fix before anything is done. */
  readonly mistakes: readonly string[];
  /** Ends all connections. */
  readonly close: () => Promise<void>;
}

export type Connect = (access: ClusterAccess, cluster: string) => Promise<Kubernetes>;

/**
 * Connects to all clusters at once and reads who they are. A cluster that can't be reached is no
 * mistake; a kubeconfig that does not have what the config refers to is, and then nothing is sent to
 * any cluster.
 */
export async function openClusters(
  accesses: ReadonlyMap<string, ClusterAccess>,
  open: Connect = connect,
): Promise<OpenedClusters> {
  const pending = new Map<string, Result<Kubernetes>>();
  const opening = [...accesses].map(([name, access]) =>
    open(access, name).catch((error: unknown) => {
      if (!(error instanceof KubeconfigPending)) throw error;
      pending.set(name, failureOf(error));
      return undefined;
    }),
  );
  const opened = await Promise.allSettled(opening);
  const clients = opened.flatMap((one) => (one.status === "fulfilled" ? (one.value ?? []) : []));
  const close = async () => {
    await Promise.all(clients.map((client) => client.close()));
  };
  const mistakes = opened.flatMap((one) =>
    one.status === "rejected" ? [mistakeOf(one.reason)] : [],
  );
  const none = new Map<string, never>();
  if (mistakes.length > 0) return { clusters: none, uids: none, refused: none, mistakes, close };
  const identified = await Promise.all(clients.map(identityOf));
  const found = new Map(identified.map(({ name, uid }) => [name, uid]));
  const log = debugLog();
  for (const [name, uid] of found) log?.(`cluster ${name} has UID ${uid ?? "unknown"}`);
  const refused = sameClusters(found);
  const read = identified.map(({ name, cluster }): [string, Result<Kubernetes>] => {
    const why = refused.get(name);
    return [name, why === undefined ? cluster : { why, cause: "refused" }];
  });
  const clusters = new Map<string, Result<Kubernetes>>([...read, ...pending]);
  const uids = new Map(
    [...found].map(([name, uid]) => [name, refused.has(name) ? undefined : uid]),
  );
  return { clusters, uids, refused, mistakes, close };
}

interface Identified {
  readonly name: string;
  readonly uid: string | undefined;
  readonly cluster: Result<Kubernetes>;
}

/** A cluster that may not tell its UID may still tell the rest, unless it does not answer at all. */
async function identityOf(client: Kubernetes): Promise<Identified> {
  const name = client.cluster;
  try {
    return { name, uid: await identify(client), cluster: { value: client } };
  } catch (error) {
    const failure = failureOf(error);
    const isReadable =
      error instanceof KubernetesError &&
      !error.clusterUnavailable &&
      error.kind !== "unauthorized";
    return { name, uid: undefined, cluster: isReadable ? { value: client } : failure };
  }
}

function mistakeOf(reason: unknown): string {
  if (reason instanceof KubeconfigError) return reason.message;
  throw reason;
}
