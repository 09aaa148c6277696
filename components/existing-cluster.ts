import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterConfig } from "../config/mesh.ts";
import { ClusterIdentity } from "./cluster-identity.ts";
import { clusterProvider } from "./cluster-provider.ts";

/** What links need of a cluster: the way to it, and something to wait for. */
export interface Site {
  readonly provider: k8s.Provider;
  /** Linkerd and the Link CRD are there once this is. */
  readonly ready: pulumi.Resource;
  /** Changes when what is installed does; absent where this stack installs nothing. */
  readonly revision?: pulumi.Output<unknown>;
}

/**
 * A cluster on which Linkerd already runs. Of the same type as one that this stack installs Linkerd
 * on, so that a stack can go from `manage: links` to `all` and keep its providers.
 */
export class KnownCluster extends pulumi.ComponentResource implements Site {
  readonly provider: k8s.Provider;
  readonly ready: pulumi.Resource;

  constructor(
    name: string,
    config: ClusterConfig,
    uid: string | undefined,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Cluster", name, {}, opts);
    this.ready = new ClusterIdentity(
      name,
      {
        cluster: config.name,
        context: config.access.context,
        ...(uid !== undefined && { uid }),
        ...(config.uid !== undefined && { expected: config.uid }),
      },
      { parent: this },
    );
    this.provider = clusterProvider(name, config, { parent: this, dependsOn: this.ready });
    this.registerOutputs({});
  }
}
