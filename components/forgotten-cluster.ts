import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { issuerName } from "@linkerd-multicluster/engine/trust";
import { chartNames } from "../config/keys/chart-keys.ts";
import type { MeshConfig } from "../config/mesh.ts";
import type { Cluster } from "./cluster.ts";
import { unreachingProvider } from "./cluster-provider.ts";
import { k8s } from "./sdks.ts";

/**
 * The objects of a cluster that is revoked or let go are not registered, so Pulumi deletes them, which for this provider
 * means to forget them. Helm releases can't be forgotten that way: they stay registered, are retained on deletion, and
 * leave the state with the cluster.
 */
export class ForgottenCluster extends pulumi.ComponentResource {
  readonly name: string;
  readonly provider: kubernetes.Provider;
  readonly #access: Parameters<typeof unreachingProvider>[1];

  constructor(
    name: string,
    access: Parameters<typeof unreachingProvider>[1],
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Cluster", name, {}, opts);
    this.name = name;
    this.#access = access;
    this.provider = unreachingProvider(name, access, "revoked", { parent: this });
    this.registerOutputs({});
  }

  retainReleases(provider = this.provider): void {
    retained(this.name, { parent: this, provider });
  }

  /** A refresh drops what it can't read with the cluster's own provider. */
  keepReleases(): void {
    const opts = { parent: this };
    this.retainReleases(unreachingProvider(`${this.name}-kept`, this.#access, "refused", opts));
  }
}

/** No such resource is written or deleted: the provider leaves its inputs as they are. */
function retained(name: string, opts: pulumi.CustomResourceOptions): pulumi.Resource[] {
  return chartNames.map((chart) => {
    const args = { chart, name: chart };
    const called = `${name}-${chart}`;
    return new k8s.helm.v3.Release(called, args, { ...opts, retainOnDelete: true });
  });
}

/** The rest of the cluster stays with this stack, so it gets a provider of its own that reaches nothing. */
export function keptLinkerd(
  name: string,
  { linkerdNamespace, multiclusterNamespace, trust }: MeshConfig,
  parent: Cluster,
): pulumi.Resource[] {
  const provider = unreachingProvider(`${name}-kept`, parent.config, "refused", { parent });
  const opts = { parent, provider, retainOnDelete: true };
  const namespace = (part: string, called: string) =>
    new k8s.core.v1.Namespace(`${name}-${part}`, { metadata: { name: called } }, opts);
  const metadata = { name: issuerName, namespace: linkerdNamespace };
  const home =
    trust.kind === "external"
      ? []
      : [
          namespace("linkerd", linkerdNamespace),
          new k8s.core.v1.Secret(`${name}-issuer`, { metadata }, opts),
        ];
  return [...home, namespace("multicluster", multiclusterNamespace), ...retained(name, opts)];
}
