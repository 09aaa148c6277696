import type { HealthMesh } from "@linkerd-multicluster/engine/health";
import { defined } from "@linkerd-multicluster/engine/kubernetes";
import type { ClusterAccess } from "@linkerd-multicluster/engine/kubernetes";
import { settingsOf } from "@linkerd-multicluster/engine/mirroring";
import type { LinkConfig, MeshConfig } from "./mesh.ts";

type Clusters = MeshConfig["clusters"];

/**
 * The part of the mesh that this stack manages. The stack of a cluster writes the objects in it, and the account of each
 * of its links in the link's target. What a cluster needs for the links of others, such as a gateway, follows from all
 * links of the config.
 */

/** The links into this stack's clusters. */
export function ownLinks({ links, sources }: MeshConfig): LinkConfig[] {
  return links.filter(({ spec }) => sources.has(spec.source));
}

/** This stack's clusters, without revoked ones. */
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
    // A revoked cluster may have had access to every other one.
    ...([...revoked.clusters.keys()].some((name) => sources.has(name)) ? clusters.keys() : []),
  ]);
  return new Map([...clusters].filter(([name]) => names.has(name)));
}

/** The access to each cluster by name. */
export function accessesOf(clusters: Clusters): ReadonlyMap<string, ClusterAccess> {
  return new Map([...clusters].map(([name, { access }]) => [name, access]));
}

/**
 * The part of the config that health depends on: the stack's clusters and links. Holds no secret.
 *
 * @param stack `organization/project/stack`, which identifies its mirrors
 */
export function healthMesh(config: MeshConfig, stack?: string): HealthMesh {
  const { manage, linkerdNamespace, multiclusterNamespace } = config;
  return {
    // A stack of the trust root alone checks that all clusters have the same trust.
    manage: manage === "trust" ? "all" : manage,
    linkerdNamespace,
    multiclusterNamespace,
    ...defined({ stack }),
    clusters: Object.fromEntries(accessesOf(touchedClusters(config))),
    links: (manage === "trust" ? [] : ownLinks(config)).map(({ spec, mirroring }) => ({
      link: settingsOf(spec),
      mirroring,
    })),
  };
}
