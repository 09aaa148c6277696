import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { chartNames } from "../config/keys.ts";
import type { ClusterConfig, MeshConfig } from "../config/mesh.ts";
import { touchedClusters } from "../config/share.ts";
import { Cluster } from "./cluster.ts";
import { isolatedProvider } from "./cluster-provider.ts";
import type { Preflight } from "./preflight.ts";
import type { LinkerdSetup } from "./linkerd.ts";
import { TrustRoot, trustRootArgs } from "./trust-root.ts";

/**
 * Makes the clusters ready for links, as far as the stack manages them; by name. On targets that
 * other stacks have, these install Linkerd.
 */
export function makeClusters(
  mesh: MeshConfig,
  { preflight, secretValues }: { preflight: Preflight } & Pick<LinkerdSetup, "secretValues">,
  parent: pulumi.Resource,
): ReadonlyMap<string, Cluster> {
  const root =
    mesh.manage === "all"
      ? new TrustRoot("trust", trustRootArgs(mesh, preflight), { parent })
      : undefined;
  const linkerdOf = (name: string) => {
    if (root === undefined || !mesh.sources.has(name)) return undefined;
    const trustUnread = preflight.trust.get(name)?.state === "unreadable";
    if (mesh.trust.kind === "external") return { mesh, trustUnread, secretValues };
    const trust = { bundlePem: root.bundleFor(name), issuer: root.issuerFor(name) };
    return { mesh, trust, trustUnread, secretValues };
  };
  const made = [...touchedClusters(mesh)].map(([name, config]) => {
    const args = {
      ...{ config, uid: preflight.uids.get(name), unreachable: preflight.unreachable.has(name) },
      linkerd: linkerdOf(name),
      awaited: root !== undefined && !mesh.sources.has(name),
    };
    return [name, new Cluster(name, args, { parent })] as const;
  });
  return new Map(made);
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
