import { linkerdConfigOf, noClusterDomain } from "@linkerd-multicluster/engine/credentials";
import type { OpenedClusters } from "@linkerd-multicluster/engine/kubernetes";
import type { ClusterConfig, MeshConfig } from "../config/mesh.ts";
import { unlessBug } from "@linkerd-multicluster/engine/kubernetes";

export interface JudgedDomains {
  /** Clusters without a cluster domain, or with a trust domain that differs from an unset default. */
  readonly refused: ReadonlyMap<string, string>;
  readonly told: readonly string[];
}

/**
 * Judges the domains of running clusters. A proxy gets its own identity and the names of its peers when it starts:
 * after a change of trust domain, Linkerd issues it no more certificates, and its peers expect another name. So a
 * default never changes a running cluster. A cluster without Linkerd, or one that can't be read, is not judged and
 * stays as it is.
 *
 * @param installed the clusters on which this stack installs Linkerd
 */
export async function judgedDomains(
  opened: OpenedClusters["clusters"],
  installed: ReadonlySet<string>,
  { clusters, linkerdNamespace }: MeshConfig,
): Promise<JudgedDomains> {
  const refused = new Map<string, string>();
  const told: string[] = [];
  const judging = [...clusters.values()].map(async (config) => {
    const { name } = config;
    const cluster = opened.get(name);
    if (cluster === undefined || "why" in cluster) return;
    const linkerd = await linkerdConfigOf(cluster.value, linkerdNamespace).catch(
      unlessBug(undefined),
    );
    if (linkerd === undefined) return;
    if (linkerd.domains === undefined)
      refused.set(name, `${noClusterDomain(name, linkerdNamespace)}.`);
    const live = linkerd.domains?.trustDomain ?? config.trustDomain;
    if (!installed.has(name) || live === config.trustDomain) return;
    if (config.isTrustDomainSet) told.push(warning({ config, live }));
    else refused.set(name, refusal({ config, live }));
  });
  await Promise.all(judging);
  return { refused, told };
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
