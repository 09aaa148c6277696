import type { HealthMesh } from "@linkerd-multicluster/engine/health";
import { defined } from "@linkerd-multicluster/engine/kubernetes";
import type { ClusterAccess } from "@linkerd-multicluster/engine/kubernetes";
import { settingsOf } from "@linkerd-multicluster/engine/mirroring";
import type { LinkConfig, MeshConfig } from "./mesh.ts";

type Clusters = MeshConfig["clusters"];

/**
 * The part of the mesh that is this stack's. A cluster's stack writes what is in it, and the account of each
 * link from it in the link's target. What a cluster has to have for the links of others, such as a
 * gateway, follows from all links of the config.
 */

/** The links into this stack's clusters. */
export function ownLinks({ links, sources }: MeshConfig): LinkConfig[] {
  return links.filter(({ spec }) => sources.has(spec.source));
}

/** The clusters that are this stack's, without revoked ones. */
export function ownClusters({ clusters, sources }: MeshConfig): Clusters {
  return new Map([...clusters].filter(([name]) => sources.has(name)));
}

/** The clusters that this stack's resources read or write: its own, and the targets of its links. */
export function touchedClusters(config: MeshConfig): Clusters {
  const { clusters, sources, revoked } = config;
  const names = new Set([
    ...sources,
    ...ownLinks(config).map(({ spec }) => spec.target),
    ...revoked.links.filter(({ source }) => sources.has(source)).map(({ target }) => target),
    // One that is revoked may have had access to any.
    ...([...revoked.clusters.keys()].some((name) => sources.has(name)) ? clusters.keys() : []),
  ]);
  return new Map([...clusters].filter(([name]) => names.has(name)));
}

/** How to reach clusters, by their names. */
export function accessesOf(clusters: Clusters): ReadonlyMap<string, ClusterAccess> {
  return new Map([...clusters].map(([name, { access }]) => [name, access]));
}

/**
 * The part of the config that health depends on: the stack's clusters and links. Holds no secret.
 *
 * @param stack as `organization/project/stack`, by which its mirrors are known
 */
export function healthMesh(config: MeshConfig, stack?: string): HealthMesh {
  const { manage, linkerdNamespace, multiclusterNamespace } = config;
  return {
    // The stack of the trust root alone is to find the same trust on all clusters.
    ...{ manage: manage === "trust" ? "all" : manage, linkerdNamespace, multiclusterNamespace },
    ...defined({ stack }),
    clusters: Object.fromEntries(accessesOf(touchedClusters(config))),
    links: (manage === "trust" ? [] : ownLinks(config)).map(({ spec, mirroring }) => ({
      link: settingsOf(spec),
      mirroring,
    })),
  };
}
