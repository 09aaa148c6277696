import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterConfig } from "../config/mesh.ts";
import { ClusterIdentity, clusterProvider } from "./cluster-provider.ts";
import { installLinkerd, type LinkerdSetup, linkerdCharts } from "./linkerd.ts";

export interface ClusterArgs {
  readonly config: ClusterConfig;
  /** UID of `kube-system` at the start of the run; undefined where it could not be read. */
  readonly uid: string | undefined;
  /** Whether it could not be read at all: what exists there stays as it is. */
  readonly unreachable: boolean;
  /** Absent where this stack installs no Linkerd. */
  readonly linkerd?: LinkerdSetup | undefined;
  /** Whether another stack installs Linkerd there, perhaps at this moment. */
  readonly awaited?: boolean;
}

/**
 * A cluster, the provider that reaches it, and Linkerd with its multicluster extension where this stack
 * installs them. Of one type with Linkerd and without, so that a stack can go from `manage: links` to
 * `all` and keep its providers.
 */
export class Cluster extends pulumi.ComponentResource {
  readonly config: ClusterConfig;
  /** Refuses another cluster than before; what does not use `provider` depends on it. */
  readonly identity: ClusterIdentity;
  readonly provider: k8s.Provider;
  /** Linkerd and the Link CRD are installed once this is done. */
  readonly ready: pulumi.Resource;
  readonly unreachable: boolean;
  readonly awaited: boolean;
  /** Changes when what is installed does; absent where this stack installs nothing. */
  readonly revision?: pulumi.Output<unknown>;
  /** PEM of the anchors that it trusts; absent where others provide them. */
  readonly trustBundle?: pulumi.Output<string>;

  constructor(
    name: string,
    { config, uid, unreachable, linkerd, awaited = false }: ClusterArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Cluster", name, {}, opts);
    // First, so that a chart that does not exist fails before anything is registered.
    const charts = linkerd && linkerdCharts(linkerd.mesh.charts);
    this.config = config;
    this.unreachable = unreachable;
    this.awaited = awaited;
    this.identity = new ClusterIdentity(name, config, uid, { parent: this });
    this.provider = clusterProvider(name, config, {
      parent: this,
      dependsOn: [this.identity],
    });
    this.ready = this.identity;
    if (linkerd !== undefined && charts !== undefined) {
      const place = { config, provider: this.provider, unreachable, parent: this };
      const { ready, revision } = installLinkerd(name, linkerd, charts, place);
      this.ready = ready;
      this.revision = revision;
      if (linkerd.trust !== undefined) this.trustBundle = linkerd.trust.bundlePem;
    }
    const { trustBundle } = this;
    this.registerOutputs(linkerd === undefined ? {} : { trustBundle });
  }
}
