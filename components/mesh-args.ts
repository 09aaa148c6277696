import type * as pulumi from "@pulumi/pulumi";

/**
 * The arguments of a mesh: the keys of the config, which the config's own check judges. The npm package has
 * types for all of them, written from the table of keys (plugin/args-types.ts).
 */
export interface MeshArgs {
  readonly clusters: Readonly<Record<string, ClusterArgs>>;
}

export interface ClusterArgs {
  /** The content of a kubeconfig, which may come of a resource. */
  readonly kubeconfig?: pulumi.Input<string>;
  readonly [key: string]: unknown;
}
