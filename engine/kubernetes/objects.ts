/**
 * The Kubernetes objects that this program reads and writes, reduced to the fields it uses, in the
 * shape of the API's JSON. Fields that are not listed survive an update untouched.
 */

export type StringMap = Readonly<Record<string, string>>;

/** `namespace/name`: how an object is called in plans, state and messages. */
export type ObjectKey = `${string}/${string}`;

export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  /** Who has set which field, by the API server's own account. */
  readonly managedFields?: readonly ManagedFields[];
  /** Set while the object is going, held by a finalizer; such an object cannot be revived. */
  readonly deletionTimestamp?: string;
}

/** One entry of `managedFields`: the fields that one manager has set by one kind of operation. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly time?: string;
  /** Keys `f:<field>`, nested as the object is. */
  readonly fieldsV1?: unknown;
}

/**
 * On a Service or Endpoints that no API server could have stored (shapes.ts): what is wrong with it.
 * It has nothing else but its name, and no conclusion may be drawn from what it lacks. A symbol, as
 * no JSON has such a key.
 */
export const malformed = Symbol("malformed");

export interface Namespace {
  readonly metadata: Omit<ObjectMeta, "namespace">;
}

export interface ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  /** Never on a mirror, as in Linkerd. */
  readonly appProtocol?: string;
}

export interface LoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
}

export interface Service {
  readonly [malformed]?: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    /** Of a dual-stack Service two, of which `clusterIP` is the first. */
    readonly clusterIPs?: readonly string[];
    readonly selector?: StringMap;
    readonly ports?: readonly (ServicePort & { readonly nodePort?: number })[];
  };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerIngress[] };
  };
}

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
}

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

export interface Endpoints {
  readonly [malformed]?: string;
  readonly metadata: ObjectMeta;
  readonly subsets?: readonly EndpointSubset[];
}

export interface ConfigMap {
  readonly metadata: ObjectMeta;
  readonly data?: StringMap;
}

export interface Secret {
  readonly metadata: ObjectMeta;
  readonly type?: string;
  /** In base64. */
  readonly data?: StringMap;
}

/** An object of which nothing but the metadata is read. */
export interface OtherObject {
  readonly metadata: ObjectMeta;
}

export interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly state?: { readonly running?: unknown };
  readonly restartCount?: number;
}

export interface Deployment {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly serviceAccountName?: string } };
  };
  readonly status?: { readonly readyReplicas?: number };
}

export interface StatefulSet {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly serviceName?: string;
    /** 1 where it is left out. */
    readonly replicas?: number;
    /** The number of the first pod; 0 where it is left out. */
    readonly ordinals?: { readonly start?: number };
  };
}

/** A range that ClusterIPs are given out from; a cluster may have several. */
export interface ServiceCidr {
  readonly metadata: Omit<ObjectMeta, "namespace">;
  /** In CIDR notation. */
  readonly spec?: { readonly cidrs?: readonly string[] };
}

export interface Node {
  readonly metadata: Omit<ObjectMeta, "namespace">;
  /** In CIDR notation: of the pods on it, as the cluster's controller manager has given them out. */
  readonly spec?: { readonly podCIDRs?: readonly string[] };
  /** IPs, and names of the machine. */
  readonly status?: { readonly addresses?: readonly { readonly address: string }[] };
}

/** That somebody has something (coordination.k8s.io). */
export interface Lease {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly holderIdentity?: string };
}

/** A question to the API server about whoever asks, or about a subject (SubjectAccessReview). */
export interface AccessReview {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: {
    readonly resourceAttributes: {
      readonly group: string;
      readonly resource: string;
      readonly verb: string;
      readonly subresource?: string;
      readonly name?: string;
      readonly namespace?: string;
    };
    readonly user?: string;
    readonly groups?: readonly string[];
  };
  readonly status?: { readonly allowed: boolean };
}

export function keyOf(object: { readonly metadata: ObjectMeta }): ObjectKey {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

export function objectKey(namespace: string, name: string): ObjectKey {
  return `${namespace}/${name}`;
}

/** A Service whose `clusterIP` is the word `None`: DNS answers with its endpoints. */
export function isHeadless(service: Service): boolean {
  return service.spec.clusterIP === "None";
}
