import * as pulumi from "@pulumi/pulumi";
import { AccessError } from "../engine/kubernetes/kubeconfig.ts";
import { connect } from "../engine/kubernetes/connect.ts";
import { KubernetesError } from "../engine/kubernetes/errors.ts";
import type { Kubernetes } from "../engine/kubernetes/interface.ts";
import { resources } from "../engine/kubernetes/resources.ts";
import type { ClusterAccess } from "../engine/mirroring/model/link.ts";
import type { MeshConfig } from "../config/mesh.ts";
import type { LiveTrusts } from "../engine/trust/live.ts";
import { type Reachable, readLive } from "../engine/trust/read-live.ts";
import { sameClusters } from "../engine/kubernetes/identity.ts";

/** What a run has to know of the clusters before it can say what it wants of them. */
export interface Survey {
  /** UID of `kube-system` by cluster; undefined where it could not be read. */
  readonly uids: ReadonlyMap<string, string | undefined>;
  readonly trust: LiveTrusts;
}

export type Connect = (access: ClusterAccess, cluster: string) => Promise<Kubernetes>;

/**
 * Reads who each cluster is and what it trusts, all at once, in previews too. A cluster that can't
 * be reached is no reason to stop; a kubeconfig that is not as the config says, or one cluster
 * given twice, is: throws RunError with every such mistake.
 */
export async function surveyClusters(
  { clusters, linkerdNamespace }: Pick<MeshConfig, "clusters" | "linkerdNamespace">,
  open: Connect = connect,
): Promise<Survey> {
  const names = [...clusters.values()];
  const opened = await Promise.allSettled(names.map(({ access, name }) => open(access, name)));
  const clients = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  try {
    refuse(opened.flatMap((one) => (one.status === "rejected" ? [mistakeOf(one.reason)] : [])));
    const readings = await Promise.all(
      clients.map(async (client) => [client.cluster, await identify(client)] as const),
    );
    const uids = new Map(readings.map(([name, { uid }]) => [name, uid]));
    refuse(sameClusters(uids));
    const reachable = new Map(readings.map(([name, { cluster }]) => [name, cluster]));
    return { uids, trust: await readLive(reachable, linkerdNamespace) };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

interface Identified {
  readonly uid: string | undefined;
  readonly cluster: Reachable;
}

/** A cluster that does not tell its UID may still tell the rest, unless it does not answer at all. */
async function identify(client: Kubernetes): Promise<Identified> {
  try {
    const { metadata } = await client.get(resources.namespaces, { name: "kube-system" });
    return { uid: metadata.uid, cluster: client };
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    const isGone = error.clusterUnavailable || error.kind === "unauthorized";
    return { uid: undefined, cluster: isGone ? { why: error.message } : client };
  }
}

function mistakeOf(reason: unknown): string {
  if (reason instanceof AccessError) return reason.message;
  throw reason;
}

function refuse(mistakes: readonly string[]): void {
  if (mistakes.length === 0) return;
  throw new pulumi.RunError(
    ["The clusters are not as they should be:", ...mistakes.map((each) => `${each}.`)].join("\n  "),
  );
}
