import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { chartNames } from "../config/keys.ts";
import type { ClusterConfig, MeshConfig } from "../config/mesh.ts";
import { ownClusters, touchedClusters } from "../config/share.ts";
import { isSecret } from "../config/stack.ts";
import { roleOf } from "./charts/values.ts";
import { Cluster, type SeenCluster } from "./cluster.ts";
import { ClusterIdentity } from "./engine-resources.ts";
import { clusterProvider, isolatedProvider } from "./cluster-provider.ts";
import type { Preflight } from "./preflight.ts";
import { TrustRoot, trustRootArgs } from "./trust-root.ts";

/** The parts of a cluster that links need: its provider, and something to wait for. */
export interface ClusterHandle {
  readonly provider: k8s.Provider;
  /** Refuses another cluster than before; what does not use `provider` depends on it. */
  readonly identity: pulumi.Resource;
  /** Linkerd and the Link CRD are installed once this is done. */
  readonly ready: pulumi.Resource;
  /** Whether it could not be read at the start of the run: what exists there stays as it is. */
  readonly unreachable: boolean;
  /** Changes when what is installed does; absent where this stack installs nothing. */
  readonly revision?: pulumi.Output<unknown>;
  /** PEM of the anchors that it trusts; absent where others provide them. */
  readonly trustBundle?: pulumi.Output<string> | undefined;
}

/**
 * Makes the clusters ready for links, as far as the stack manages them; by name. On targets that
 * other stacks have, these install Linkerd.
 *
 * @param claims by cluster: what comes before anything is written to it
 */
export function makeClusters(
  config: MeshConfig,
  preflight: Preflight,
  claims: ReadonlyMap<string, pulumi.Resource>,
  parent: pulumi.Resource,
): ReadonlyMap<string, ClusterHandle> {
  const installed = config.manage === "all" ? ownClusters(config) : new Map<string, never>();
  const existing = [...touchedClusters(config)].filter(([name]) => !installed.has(name));
  return new Map<string, ClusterHandle>([
    ...existing.map(([name, cluster]): [string, ClusterHandle] => [
      name,
      new ExistingCluster(
        name,
        { config: cluster, ...seenOf(name, preflight), claim: claims.get(name) },
        { parent },
      ),
    ]),
    ...(config.manage === "all" ? installedClusters(config, preflight, claims, parent) : []),
  ]);
}

function installedClusters(
  config: MeshConfig,
  preflight: Preflight,
  claims: ReadonlyMap<string, pulumi.Resource>,
  parent: pulumi.Resource,
): readonly (readonly [string, Cluster])[] {
  const trust = new TrustRoot("trust", trustRootArgs(config, preflight), { parent });
  const { linkerdNamespace, multiclusterNamespace, charts } = config;
  const secretValues = isSecret("clusters");
  return [...ownClusters(config)].map(([name, cluster]) => {
    const args = {
      config: cluster,
      role: roleOf(name, config),
      ...{ linkerdNamespace, multiclusterNamespace, charts, secretValues },
      ...(config.trust.kind !== "external" && {
        trust: { bundlePem: trust.bundleFor(name), issuer: trust.issuerFor(name) },
      }),
      trustUnread: preflight.trust.get(name)?.state === "unreadable",
      ...seenOf(name, preflight),
      claim: claims.get(name),
    };
    return [name, new Cluster(name, args, { parent })] as const;
  });
}

/** The identity and claim of a cluster, after which anything may be sent to it. */
interface ExistingClusterArgs extends SeenCluster {
  readonly config: ClusterConfig;
  readonly claim?: pulumi.Resource | undefined;
}

function seenOf(name: string, { uids, unreachable }: Preflight): SeenCluster {
  return { uid: uids.get(name), unreachable: unreachable.has(name) };
}

/**
 * A cluster on which Linkerd already runs. Of the same type as one on which this stack installs
 * Linkerd, so that a stack can go from `manage: links` to `all` and keep its providers.
 */
export class ExistingCluster extends pulumi.ComponentResource implements ClusterHandle {
  readonly identity: pulumi.Resource;
  readonly provider: k8s.Provider;
  readonly ready: pulumi.Resource;
  readonly unreachable: boolean;

  constructor(
    name: string,
    { config, uid, unreachable, claim }: ExistingClusterArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Cluster", name, {}, opts);
    this.identity = new ClusterIdentity(name, config, uid, { parent: this });
    this.ready = this.identity;
    this.unreachable = unreachable;
    this.provider = clusterProvider(name, config, {
      parent: this,
      dependsOn: [this.identity, ...(claim === undefined ? [] : [claim])],
    });
    this.registerOutputs({});
  }
}

/**
 * A cluster with `revoked: true`, of the same type as it had before. Its objects are not registered, so
 * Pulumi deletes them, which for this provider means to forget them. It can't forget a Helm release that
 * way: releases stay registered, marked to be kept on deletion, and leave the state with the cluster.
 */
export class RevokedCluster extends pulumi.ComponentResource {
  constructor(
    name: string,
    { config, installed }: { readonly config: ClusterConfig; readonly installed: boolean },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Cluster", name, {}, opts);
    const provider = isolatedProvider(name, config, { parent: this });
    for (const chart of installed ? chartNames : [])
      new k8s.helm.v3.Release(
        `${name}-${chart}`,
        { chart, name: chart },
        { parent: this, provider, retainOnDelete: true },
      );
    this.registerOutputs({});
  }
}
