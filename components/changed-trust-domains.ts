import { linkerdConfigOf } from "@linkerd-multicluster/engine/credentials";
import type { OpenedClusters } from "@linkerd-multicluster/engine/kubernetes";
import type { ClusterConfig, MeshConfig } from "../config/mesh.ts";

/** Clusters whose Linkerd runs with another trust domain than it is to have, in sentences. */
export interface ChangedTrustDomains {
  /** The config does not ask for the change. */
  readonly refused: readonly string[];
  readonly told: readonly string[];
}

/**
 * A proxy gets its own identity, and the names by which it knows others, when it starts: after a change
 * of trust domain, Linkerd issues it no more certificates, and its peers expect another name. So a
 * default never changes what runs. A cluster that does not tell its trust domain has no Linkerd, or
 * can't be read, and then its values stay as they are.
 */
export async function changedTrustDomains(
  opened: OpenedClusters["clusters"],
  { clusters, linkerdNamespace }: MeshConfig,
): Promise<ChangedTrustDomains> {
  const reading = [...clusters.values()].map(async (config) => {
    const cluster = opened.get(config.name);
    if (cluster === undefined || "why" in cluster) return [];
    const linkerd = await linkerdConfigOf(cluster, linkerdNamespace).catch(() => undefined);
    const live = linkerd?.domains?.trustDomain;
    return live === undefined || live === config.trustDomain ? [] : [{ config, live }];
  });
  const changed = (await Promise.all(reading)).flat();
  const asked = ({ config }: Change) => config.isTrustDomainSet;
  return {
    refused: changed.filter((each) => !asked(each)).map(refusal),
    told: changed.filter(asked).map(warning),
  };
}

interface Change {
  readonly config: ClusterConfig;
  readonly live: string;
}

const until = "and connections with its pods fail until each meshed pod has been restarted";

function refusal({ config: { name, trustDomain }, live }: Change): string {
  const key = `linkerd-multicluster:clusters.${name}.trustDomain`;
  return `Linkerd in cluster ${name} runs with trust domain ${live}, and the default is ${trustDomain}: to keep it, set ${key} to ${live}, or linkerd-multicluster:trustDomain where it is that of every cluster; to change it, set ${key} to ${trustDomain}, ${until}.`;
}

function warning({ config: { name, trustDomain }, live }: Change): string {
  return `The trust domain of cluster ${name} changes from ${live} to ${trustDomain}, ${until}: see docs/guides/trust.md.`;
}
