import type { Resource } from "../../kubernetes/resources.ts";
import type { ObjectMeta } from "../../kubernetes/objects.ts";

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
