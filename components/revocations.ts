import type * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "../config/mesh.ts";
import { revocationArgs } from "../config/share.ts";
import type { PreparedClusters } from "./clusters.ts";
import { EngineResource } from "./engine-resource.ts";
import { ForgottenCluster } from "./forgotten-cluster.ts";
import type { Preflight } from "./preflight.ts";

/**
 * Ends the access of revoked clusters, and forgets what this stack has in them.
 *
 * @returns by the cluster that loses access
 */
export function revoke(
  config: MeshConfig,
  preflight: Preflight | undefined,
  { clusters }: PreparedClusters,
  parent: pulumi.Resource,
): ReadonlyMap<string, pulumi.Resource> {
  const { manage, revoked, sources } = config;
  if (preflight !== undefined)
    for (const [name, known] of revoked.clusters) {
      const cluster = new ForgottenCluster(name, known, { parent });
      if (manage === "all" && sources.has(name)) cluster.retainReleases();
    }
  // Where two names lead to one cluster, nobody knows yet in which of them the access has ended.
  const uids = [...(preflight?.uids ?? [])].filter(([name]) => !preflight?.twins.has(name));
  return new Map(
    revocationArgs(config, new Map(uids)).map((args) => {
      const dependsOn = Object.keys(args.targets).flatMap(
        (name) => clusters.get(name)?.identity ?? [],
      );
      const props = { ...args, revision: undefined };
      return [
        args.source,
        new EngineResource("Revocation", args.source, props, { parent, dependsOn }),
      ];
    }),
  );
}
