import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { SourceLinks } from "@linkerd-multicluster/engine/credentials";
import { defined } from "@linkerd-multicluster/engine/kubernetes";
import type { ClusterConfig } from "../config/mesh.ts";
import { EngineResource } from "./engine-resource.ts";
import { keptKubeconfig } from "./given-kubeconfigs.ts";

/** The cluster that a name stands for. Whatever is sent to a cluster depends on this. */
export class ClusterIdentity extends EngineResource {
  /** Why nothing is written there in this run; undefined where the cluster is as it was. */
  declare readonly refused: pulumi.Output<string | undefined>;

  /**
   * @param uid UID of `kube-system` as read in this run; undefined where it could not be
   * @param links the links out of it; undefined for a stack that makes none
   */
  constructor(
    name: string,
    { name: cluster, access, uid: expected }: ClusterConfig,
    { uid, links }: { readonly uid: string | undefined; readonly links?: SourceLinks },
    opts?: pulumi.CustomResourceOptions,
  ) {
    const known = defined({ uid, expected, links });
    const args = { cluster, context: access.context, ...known, refused: undefined };
    super("ClusterIdentity", name, args, opts);
  }
}

/**
 * The provider of everything that is made in a cluster. The kubeconfig is given as a path, or left to
 * `KUBECONFIG` and the default file: its content is in no state. Left to them, it is given as an empty
 * text: without one the SDK would take the value of `KUBECONFIG` for a path, and the plugin would write
 * a copy of that file to the temporary folder, take several files for none, and look for relative paths
 * in them in the folder of the project (docs/reference/kubeconfig.md). The identifier is the cluster's name
 * in the config, which is the same whether or not the cluster can be reached: if it changed, every
 * object of the cluster would be replaced. ClusterIdentity makes sure that a name keeps standing for
 * the same cluster.
 */
export function clusterProvider(
  name: string,
  { name: cluster, access }: Pick<ClusterConfig, "name" | "access">,
  opts: pulumi.ResourceOptions,
): k8s.Provider {
  const { context, kubeconfig = "" } = access;
  return new k8s.Provider(
    name,
    {
      ...(context !== kubeconfig && { context }),
      clusterIdentifier: cluster,
      kubeconfig: keptKubeconfig(kubeconfig) ?? kubeconfig,
      // Else a new issuer would replace its Secret, and there would be none in between.
      enableConfigMapMutable: true,
      enableSecretMutable: true,
    },
    opts,
  );
}

/**
 * `ignoreChanges` of whatever exists in a cluster that can't be reached: what is to be changed there
 * waits for a run that reaches it, and keeps nothing else from being done. An update would fail, and
 * after a failure Pulumi begins nothing more.
 */
export const everything: string[] = ["*"];

/** So that the plugin refuses every request by itself. */
const nowhere = JSON.stringify({ apiVersion: "v1", kind: "Config", clusters: [], contexts: [] });

/**
 * The provider of a cluster that is refused, which is the same resource and reaches nothing. What exists there is
 * taken for unchanged, and what is to be made or deleted there is an error of the run.
 */
export function refusedProvider(
  name: string,
  config: Pick<ClusterConfig, "name" | "access">,
  opts: pulumi.ResourceOptions,
): k8s.Provider {
  return providerOfNothing(name, config, { skipUpdateUnreachable: true }, opts);
}

/**
 * The provider of a revoked cluster, which is the same resource and reaches nothing. What state still lists there is
 * dropped, but for Helm releases (RevokedCluster), and what is registered is taken for unchanged.
 */
export function isolatedProvider(
  name: string,
  config: Pick<ClusterConfig, "name" | "access">,
  opts: pulumi.ResourceOptions,
): k8s.Provider {
  const left = { deleteUnreachable: true, skipUpdateUnreachable: true };
  return providerOfNothing(name, config, left, opts);
}

function providerOfNothing(
  name: string,
  { name: cluster, access: { context } }: Pick<ClusterConfig, "name" | "access">,
  unreachable: Pick<k8s.ProviderArgs, "deleteUnreachable" | "skipUpdateUnreachable">,
  opts: pulumi.ResourceOptions,
): k8s.Provider {
  const args = { context, clusterIdentifier: cluster, kubeconfig: nowhere, ...unreachable };
  return new k8s.Provider(name, args, opts);
}

/**
 * A text as a Secret's `data` holds it; a secret stays one. Not `stringData`: the provider
 * keeps `data` in state, so that each change would look like one key taken away and another added.
 */
export function base64(text: pulumi.Input<string>): pulumi.Output<string> {
  return pulumi.output(text).apply((plain) => Buffer.from(plain).toString("base64"));
}
