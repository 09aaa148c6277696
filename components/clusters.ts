import type * as pulumi from "@pulumi/pulumi";
import { Cluster } from "./cluster.ts";
import { KnownCluster, type Site } from "./existing-cluster.ts";
import { roleOf } from "./charts/role.ts";
import type { Survey } from "./preflight.ts";
import type { MeshConfig } from "../config/mesh.ts";
import { isSecret } from "../config/stack.ts";
import { trustRootArgs } from "./trust/settings.ts";
import { TrustRoot } from "./trust-root.ts";

/** Makes the clusters ready for links, as far as the stack manages them. */
export function makeSites(
  config: MeshConfig,
  survey: Survey,
  parent: pulumi.Resource,
): ReadonlyMap<string, Site> {
  const { clusters } = config;
  if (config.manage === "links")
    return new Map(
      [...clusters].map(([name, cluster]) => [
        name,
        new KnownCluster(name, cluster, survey.uids.get(name), { parent }),
      ]),
    );
  const trust = new TrustRoot("trust", trustRootArgs(config, survey.trust), { parent });
  const { linkerdNamespace, multiclusterNamespace, charts } = config;
  const secretValues = isSecret("clusters");
  return new Map(
    [...clusters].map(([name, cluster]) => {
      const args = {
        config: cluster,
        role: roleOf(name, config),
        ...{ linkerdNamespace, multiclusterNamespace, charts, secretValues },
        bundlePem: trust.bundleFor(name),
        issuer: trust.issuerFor(name),
        uid: survey.uids.get(name),
      };
      return [name, new Cluster(name, args, { parent })];
    }),
  );
}
