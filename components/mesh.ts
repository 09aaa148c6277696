import * as pulumi from "@pulumi/pulumi";
import type { LinkSpec } from "../mirror/model/link.ts";
import { settingsOf } from "../mirror/model/link-settings.ts";
import type { MeshConfig } from "./config/mesh.ts";
import { FederatedServices } from "./federated-services.ts";
import { Link } from "./link.ts";

/** The whole mesh that a stack's config describes. */
export class Mesh extends pulumi.ComponentResource {
  constructor(name: string, config: MeshConfig, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Mesh", name, {}, opts);
    const clusters = Object.fromEntries(
      [...config.clusters].map(([cluster, { access }]) => [cluster, access]),
    );
    const specs = config.links
      .filter(({ mirroring }) => mirroring === "pulumi")
      .map(({ spec }) => spec);
    for (const [cluster, links] of bySource(specs)) {
      for (const spec of links) {
        const siblings = links.filter((other) => other !== spec);
        const args = { spec, clusters, siblings };
        new Link(`${spec.source}/${spec.target}`, args, { parent: this });
      }
      const args = { cluster, links: links.map(settingsOf), clusters };
      new FederatedServices(cluster, args, { parent: this });
    }
    this.registerOutputs({});
  }
}

function bySource(links: readonly LinkSpec[]): ReadonlyMap<string, readonly LinkSpec[]> {
  const groups = new Map<string, LinkSpec[]>();
  for (const link of links) {
    const group = groups.get(link.source);
    if (group === undefined) groups.set(link.source, [link]);
    else group.push(link);
  }
  return groups;
}
