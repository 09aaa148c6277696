import type { ObjectMeta } from "./objects.ts";

/** The Link resource, v1alpha3, as far as this program reads it, and writes its status (1.3). */
export interface Link {
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
  readonly status?: LinkStatus;
}

export interface LinkStatus {
  readonly mirrorServices?: readonly ServiceStatus[];
  readonly federatedServices?: readonly ServiceStatus[];
}

export interface ServiceStatus {
  readonly controllerName: string;
  readonly remoteRef: ServiceReference;
  readonly conditions?: readonly Condition[];
}

export interface ServiceReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace: string;
}

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** One word, by the pattern of the resource's schema. */
  readonly reason: string;
  readonly message: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime: string;
  readonly localRef?: ServiceReference;
}
