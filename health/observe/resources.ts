import type { Resource } from "../../mirror/kubernetes/resources.ts";
import type { ObjectMeta } from "../../mirror/model/objects.ts";

/** The Link resource, v1alpha3, as far as it is held against the stack's config. */
export interface LinkObject {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly targetClusterName?: string;
    readonly targetClusterDomain?: string;
    readonly targetClusterLinkerdNamespace?: string;
    readonly clusterCredentialsSecret?: string;
    readonly gatewayAddress?: string;
    readonly gatewayPort?: string;
    readonly gatewayIdentity?: string;
  };
}

export const linkObjects: Resource<LinkObject> = {
  apiVersion: "multicluster.linkerd.io/v1alpha3",
  path: "apis/multicluster.linkerd.io/v1alpha3",
  kind: "Link",
  plural: "links",
  namespaced: true,
};

/** A controller of Linkerd's that mirrors one link. */
export interface ControllerReading {
  readonly namespace: string;
  readonly name: string;
  /** Name of its Link, which is that of the target. */
  readonly target: string;
  /** Pods that it is to have. */
  readonly replicas: number;
  /** Pods that are ready. */
  readonly ready: number;
}

export interface Deployment {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number };
}

export const deployments: Resource<Deployment> = {
  apiVersion: "apps/v1",
  path: "apis/apps/v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
