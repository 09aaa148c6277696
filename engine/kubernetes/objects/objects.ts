import { isIP } from "node:net";
import { bounds } from "./bounds.ts";
import {
  anything,
  type Check,
  either,
  type Fields,
  flag,
  list,
  map,
  mapOf,
  type Of,
  shared,
  text,
  texts,
  wholeNumber,
} from "./checks.ts";
import { isCidr } from "./address-ranges.ts";
import { isDnsLabel, isDnsName, isLabelKey, isLabelValue, isPortName } from "./names.ts";

/**
 * These checks describe the Kubernetes objects that this program reads and writes, in the shape of the API's JSON, with
 * the fields that it uses. Other fields survive an update untouched. An API server has validated its objects by the same
 * rules. One that was taken over has not, and its words are written into other clusters.
 */

export type StringMap = Readonly<Record<string, string>>;

/** Plans, state and messages call an object `namespace/name`. */
export type ObjectKey = `${string}/${string}`;

export const anyText = text("text");
/** An opaque word of the API server may appear in sentences. */
export const word = text("a word", (value) => value.length <= 253 && /^[!-~]*$/.test(value));
/** A time is RFC 3339 in UTC. */
export const time = text("a time", (value) =>
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/.test(
    value,
  ),
);
export const dnsLabel = text("a DNS label", isDnsLabel);
export const dnsName = text("a DNS name", isDnsName);
const ipAddress = text("an IP address", (ip) => ip === "" || isIP(ip) !== 0);
const port = wholeNumber(1, 65_535);
const protocol = text("TCP, UDP or SCTP", (value) => /^(TCP|UDP|SCTP)$/.test(value));
const portName = text("the name of a port", (value) => value === "" || isDnsLabel(value));
const count = wholeNumber(0, 2 ** 31 - 1);
const ranges = list(text("a range of addresses", isCidr));
const labels = shared(texts(isLabelKey, isLabelValue));

/** Kubernetes allows a manager 128 printable characters. */
const manager = text(
  "a field manager",
  (value) => value.length <= 128 && /^[ -~]*$|^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(value),
);

const keys = mapOf(anything);

/** One entry of `managedFields` lists the fields that one manager has set by one kind of operation. */
const managedFields = map({
  manager,
  operation: word,
  time,
  /** Keys `f:<field>` are nested like the object. The program reads these alone. */
  fieldsV1: shared<unknown>(
    map({ "f:metadata": map({ "f:labels": keys, "f:annotations": keys }) }),
  ),
});

const anyMetadata = {
  uid: word,
  resourceVersion: word,
  labels,
  annotations: texts(
    (key) => isLabelKey(key.toLowerCase()),
    undefined,
    bounds.annotationsSize.most,
  ),
  creationTimestamp: time,
  /** The API server records here who has set which field. */
  managedFields: list(managedFields),
  /** It is set while a finalizer holds an object that is being deleted. Such an object cannot be revived. */
  deletionTimestamp: time,
};

const metadataOf = (name: Check<string>) =>
  map({ name, namespace: dnsLabel, ...anyMetadata }, ["name", "namespace"]);

export const metadata = metadataOf(dnsName);
const clusterMetadata = map({ name: dnsName, ...anyMetadata }, ["name"]);

export type ManagedFields = Of<typeof managedFields>;
export type ObjectMeta = Of<typeof metadata>;

/** Makes the check of a namespaced object with these fields besides its metadata. */
export function object<const F extends Fields>(fields: F) {
  return map({ metadata, ...fields }, ["metadata"]);
}

/** The program reads nothing but the metadata of such an object. */
export const otherObject = object({});

export type OtherObject = Of<typeof otherObject>;

/** The same for a kind without namespaces. The type has a namespace, which nothing reads. */
export const clusterObject = map({ metadata: clusterMetadata }, ["metadata"]) as Check<OtherObject>;

export const namespace = map({ metadata: map({ name: dnsLabel, ...anyMetadata }, ["name"]) }, [
  "metadata",
]);

export type Namespace = Of<typeof namespace>;

const servicePort = map(
  {
    name: portName,
    protocol,
    port,
    targetPort: either(port, text("a port", isPortName)),
    nodePort: port,
    appProtocol: text("an application protocol", isLabelKey),
  },
  ["port"],
);

/** Addresses that were stored before Kubernetes refused leading zeros may still have them. */
const looseAddress = text("an IP address", (ip) => /^(None|[\da-fA-F.:]{0,45})$/.test(ip));
const ingress = map({
  ip: ipAddress,
  hostname: text("a DNS name", (host) => host === "" || isDnsName(host.toLowerCase())),
});

export const service = map(
  {
    metadata: metadataOf(dnsLabel),
    spec: map({
      type: word,
      clusterIP: looseAddress,
      clusterIPs: list(looseAddress),
      externalIPs: list(looseAddress),
      selector: labels,
      ports: shared(list(servicePort)),
    }),
    status: map({ loadBalancer: map({ ingress: list(ingress) }) }),
  },
  ["metadata", "spec"],
);

export type ServicePort = Omit<Of<typeof servicePort>, "nodePort">;
export type LoadBalancerIngress = Of<typeof ingress>;
export type Service = Of<typeof service>;

const endpointAddress = map(
  {
    ip: looseAddress,
    hostname: text("a DNS label", (name) => name === "" || isDnsLabel(name)),
  },
  ["ip"],
);
const endpointPort = map({ name: portName, protocol, port }, ["port"]);
const subset = map({
  addresses: list(endpointAddress),
  notReadyAddresses: list(endpointAddress),
  ports: shared(list(endpointPort)),
});

export const endpoints = object({ subsets: shared(list(subset)) });

export type EndpointAddress = Of<typeof endpointAddress>;
export type EndpointPort = Of<typeof endpointPort>;
export type EndpointSubset = Of<typeof subset>;
export type Endpoints = Of<typeof endpoints>;

export const configMap = object({ data: texts() });
/** The values of `data` are base64. */
export const secret = object({ type: anyText, data: texts() });

export type ConfigMap = Of<typeof configMap>;
export type Secret = Of<typeof secret>;

const environment = list(map({ name: anyText, value: anyText }, ["name"]));
const containers = shared(list(map({ name: anyText, env: environment }, ["name"])));
const containerStatuses = list(
  map(
    {
      name: anyText,
      ready: flag,
      restartCount: count,
      state: map({
        running: anything,
        terminated: map({ exitCode: wholeNumber(-(2 ** 31), 2 ** 31), message: anyText }),
        waiting: map({ reason: anyText, message: anyText }),
      }),
    },
    ["name"],
  ),
);

export const pod = object({
  spec: map({
    containers,
    initContainers: containers,
  }),
  status: map({
    phase: anyText,
    reason: anyText,
    podIP: looseAddress,
    containerStatuses,
    initContainerStatuses: containerStatuses,
  }),
});

export type Pod = Of<typeof pod>;

export const deployment = object({
  spec: map({
    replicas: count,
  }),
  status: map({ readyReplicas: count }),
});

export const statefulSet = object({
  spec: map({
    serviceName: anyText,
    /** The default is 1. */
    replicas: count,
    /** The number of the first pod; 0 by default. */
    ordinals: map({ start: count }),
  }),
});

export type StatefulSet = Of<typeof statefulSet>;

/** The API server takes ClusterIPs from this range. A cluster may have several. */
export const serviceCidr = map({ metadata: clusterMetadata, spec: map({ cidrs: ranges }) }, [
  "metadata",
]);

export const node = map(
  {
    metadata: clusterMetadata,
    spec: map({
      /** The controller manager has given these ranges to the pods of the node. */
      podCIDRs: ranges,
    }),
    status: map({
      /** Addresses are IPs, and names of the machine. */
      addresses: list(map({ address: text("an address") }, ["address"])),
    }),
  },
  ["metadata"],
);

export type Node = Of<typeof node>;

/** The program reads of a route only what it attaches to and, of its own routes, where they lead. */
const routeFields = { group: anyText, kind: anyText, name: anyText, namespace: anyText };
const parentRefs = list(map({ ...routeFields, port }));

export const otherRoute = object({ spec: map({ parentRefs }) });

export const httpRoute = object({
  spec: map({
    parentRefs,
    rules: list(
      map({
        matches: list(map({ path: map({ type: anyText, value: anyText }) })),
        backendRefs: list(map({ ...routeFields, port, weight: count })),
      }),
    ),
  }),
});

export type OtherRoute = Of<typeof otherRoute>;
export type HttpRoute = Of<typeof httpRoute>;

/** Asks the API server what the client may do, or what a subject may do (SubjectAccessReview). */
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

/** The API server does not store a review, so it has no name. */
export const accessReview = map({
  status: map({ allowed: flag }, ["allowed"]),
}) as Check<AccessReview>;

export function keyOf(object: { readonly metadata: ObjectMeta }): ObjectKey {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

export function objectKey(namespace: string, name: string): ObjectKey {
  return `${namespace}/${name}`;
}

export function namespaceOf(key: ObjectKey): string {
  return key.slice(0, key.indexOf("/"));
}

/** DNS answers for a headless Service with its endpoints. */
export function isHeadless(service: Service): boolean {
  return service.spec.clusterIP === "None";
}
