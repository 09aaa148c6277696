import type { LinkSpec } from "../../engine/mirroring/model/link.ts";
import type { MeshConfig } from "../../config/mesh.ts";

/** What the links ask of one cluster. */
export interface ClusterRole {
  /** Name of the gateway to install; undefined for a flat network. */
  readonly gateway: string | undefined;
  /** Links into this cluster that Linkerd's own controller mirrors. */
  readonly controllers: readonly LinkSpec[];
  /** Whether this program mirrors any link into this cluster. */
  readonly mirrors: boolean;
}

/**
 * A cluster gets a gateway unless it says `gateway: false`, or all links that target it do: one
 * that no link targets yet may still be targeted from another stack.
 */
export function roleOf(cluster: string, config: MeshConfig): ClusterRole {
  const { clusters, links, multiclusterNamespace } = config;
  const own = clusters.get(cluster)?.gateway ?? false;
  const into = links.filter(({ spec }) => spec.target === cluster);
  const flat = into.length > 0 && into.every(({ spec }) => spec.gateway === false);
  const here = links.filter(({ spec }) => spec.source === cluster);
  const isOurs = own !== false && own.namespace === multiclusterNamespace;
  return {
    gateway: isOurs && !flat ? own.name : undefined,
    controllers: here.filter(({ mirroring }) => mirroring === "controller").map(({ spec }) => spec),
    mirrors: here.some(({ mirroring }) => mirroring === "pulumi"),
  };
}
