import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import type { ClusterConfig } from "../config/mesh.ts";
import { ClusterIdentity, clusterProvider, unreachingProvider } from "./cluster-provider.ts";
import { installLinkerd, type LinkerdSetup } from "./linkerd.ts";

export interface InstallArgs {
  readonly identity: ClusterIdentity;
  /** Nothing may be written there in this run. */
  readonly refused: boolean;
  readonly unreachable: boolean;
  /** Resolves before anything in the cluster could fail, because after a failure Pulumi starts nothing more. */
  readonly after?: Promise<unknown> | undefined;
  readonly linkerd?: LinkerdSetup | undefined;
  /** Another stack installs Linkerd there, perhaps at this moment. */
  readonly awaited: boolean;
  /** Objects that exist in the cluster become this stack's. */
  readonly adopts: boolean;
}

export interface InstalledCluster {
  readonly config: ClusterConfig;
  /** Resources that don't use `provider` depend on this. */
  readonly identity: ClusterIdentity;
  readonly provider: k8s.Provider;
  /** Resolves once Linkerd and the Link CRD are installed. */
  readonly ready: pulumi.Resource;
  readonly unreachable: boolean;
  readonly awaited: boolean;
  /** A value that changes with the installed charts; absent if this stack installs nothing. */
  readonly revision?: pulumi.Output<unknown>;
  /** Absent if others provide the anchors. */
  readonly trustBundle?: pulumi.Output<string>;
}

/**
 * It starts empty, because state decides what may be created in it. It has the same type with and without Linkerd, so
 * a stack keeps its providers when it goes from `manage: links` to `all`.
 */
export class Cluster extends pulumi.ComponentResource {
  readonly config: ClusterConfig;
  readonly #name: string;

  constructor(name: string, config: ClusterConfig, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Cluster", name, {}, opts);
    this.#name = name;
    this.config = config;
  }

  install(args: InstallArgs): InstalledCluster {
    const { identity, refused, unreachable, after, linkerd, awaited, adopts } = args;
    const { config } = this;
    const last = after?.then(() => [identity]);
    const opts = { parent: this, dependsOn: last ?? [identity] };
    const provider = refused
      ? unreachingProvider(this.#name, config, "refused", opts)
      : clusterProvider(this.#name, config, adopts, opts);
    const cluster = { config, identity, provider, unreachable, awaited };
    if (linkerd === undefined) {
      this.registerOutputs({});
      return { ...cluster, ready: identity };
    }
    const place = { config, provider, unreachable, parent: this };
    const installed = installLinkerd(this.#name, linkerd, place);
    const trustBundle = linkerd.trust?.bundlePem;
    this.registerOutputs({ trustBundle });
    return { ...cluster, ...installed, ...omitUndefined({ trustBundle }) };
  }
}
