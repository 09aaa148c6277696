/**
 * The Kubernetes objects that mirroring reads and writes, reduced to the fields it uses, in the
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
  /** Set while the object is going, held by a finalizer; such an object cannot be revived. */
  readonly deletionTimestamp?: string;
}

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
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
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
  readonly metadata: ObjectMeta;
  readonly subsets?: readonly EndpointSubset[];
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
