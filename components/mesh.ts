import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "./config/mesh.ts";
import { Link } from "./link.ts";

/** The whole mesh that a stack's config describes. */
export class Mesh extends pulumi.ComponentResource {
  readonly links: readonly Link[];

  constructor(name: string, config: MeshConfig, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Mesh", name, {}, opts);
    const clusters = Object.fromEntries(
      [...config.clusters].map(([cluster, { access }]) => [cluster, access]),
    );
    const mirrored = config.links.filter(({ mirroring }) => mirroring === "pulumi");
    this.links = mirrored.map(({ spec }) => {
      const siblings = mirrored
        .map((other) => other.spec)
        .filter((other) => other.source === spec.source && other.target !== spec.target);
      return new Link(
        `${spec.source}/${spec.target}`,
        { spec, clusters, siblings },
        { parent: this },
      );
    });
    this.registerOutputs({});
  }
}
