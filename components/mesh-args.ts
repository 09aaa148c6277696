import type * as pulumi from "@pulumi/pulumi";

/**
 * The arguments of a mesh are the keys of the config, and the config's own code checks them. The npm package has types
 * for all of them, generated from the table of keys (scripts/package/types.ts).
 */
export interface MeshArgs {
  readonly clusters: Readonly<Record<string, ClusterArgs>>;
}

export interface ClusterArgs {
  /** The content of the kubeconfig may be another resource's output. */
  readonly kubeconfig?: pulumi.Input<string>;
  readonly [key: string]: unknown;
}
