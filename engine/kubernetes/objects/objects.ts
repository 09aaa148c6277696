import { isIP } from "node:net";
import { bounds } from "./bounds.ts";
import {
  anything,
  type Check,
  either,
  type Fields,
  flag,
  limited,
  list,
  map,
  mapOf,
  type Of,
  shared,
  text,
  texts,
  wholeNumber,
} from "./checks.ts";
import { inDigits } from "../../base/message.ts";
import { isCidr } from "./address-ranges.ts";
import { isDnsLabel, isDnsName, isLabelKey, isLabelValue, isPortName } from "./names.ts";

/**
 * These checks describe objects in the API's JSON, with the fields that this program uses; others survive an update. An
 * API server validates by the same rules, but one that was taken over doesn't, and its words go into other clusters.
 */

export type StringMap = Readonly<Record<string, string>>;

/** Plans, state and messages call an object `namespace/name`. */
export type ObjectKey = `${string}/${string}`;

export const anyText = text("text");
/** Sentences may quote such an opaque word of the API server. */
export const word = text("a word", (value) => value.length <= 253 && /^[!-~]*$/.test(value));
/** Kubernetes writes RFC 3339 in UTC. */
const time = text("a time", (value) =>
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/.test(
    value,
  ),
);
export const dnsLabel = text("a DNS label", isDnsLabel);
export const dnsName = text("a DNS name", isDnsName);
const ipAddress = text("an IP address", (ip) => ip === "" || isIP(ip) !== 0);
export const port = wholeNumber(1, 65_535);
const protocol = text("TCP, UDP or SCTP", (value) => /^(TCP|UDP|SCTP)$/.test(value));
const portName = text("the name of a port", (value) => value === "" || isDnsLabel(value));
export const count = wholeNumber(0, 2 ** 31 - 1);
const ranges = list(text("a range of addresses", isCidr));
export const labels = shared(texts(isLabelKey, isLabelValue));

/** Kubernetes allows a manager 128 printable characters. */
const manager = text(
  "a field manager",
  (value) => value.length <= 128 && /^[ -~]*$|^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(value),
);

const keys = mapOf(anything);
/** Keys `f:<field>` are nested like the object. */
const fieldsV1 = shared<unknown>(
  map({
    "f:metadata": map({ "f:labels": keys, "f:annotations": keys }),
    "f:spec": keys,
    "f:subsets": anything,
  }),
);
/** An entry lists the fields that one manager has set by one kind of operation. */
const managedFields = map({ manager, operation: word, time, fieldsV1 });

/** All but the name and the namespace. */
export const anyMetadata = {
  uid: word,
  resourceVersion: word,
  labels,
  annotations: texts(
    (key) => isLabelKey(key.toLowerCase()),
    undefined,
    bounds.annotationsSize.most,
  ),
  creationTimestamp: time,
  managedFields: list(managedFields),
  /** Set while a finalizer holds an object that is being deleted, which can't be revived. */
  deletionTimestamp: time,
  /** The program itself sets it on the head of an object that was too large to keep. */
  isHead: flag,
};

const metadataOf = (name: Check<string>) =>
  map({ name, namespace: dnsLabel, ...anyMetadata }, ["name", "namespace"]);
const metadata = metadataOf(dnsName);

export type ManagedFields = Of<typeof managedFields>;
export type ObjectMeta = Of<typeof metadata>;

export function object<const F extends Fields>(fields: F) {
  return map({ metadata, ...fields }, ["metadata"]);
}

export function clusterScoped<const F extends Fields>(fields: F, name = dnsName) {
  return map({ metadata: map({ name, ...anyMetadata }, ["name"]), ...fields }, ["metadata"]);
}

/** The program reads nothing but the metadata of such an object. */
export const otherObject = object({});
export type OtherObject = Of<typeof otherObject>;

/** The type has a namespace, which nothing reads. */
export const clusterObject = clusterScoped({}) as Check<OtherObject>;

export const namespace = clusterScoped({}, dnsLabel);
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

/** Addresses that older versions of Kubernetes have stored may have leading zeros. */
export const looseAddress = text("an IP address", (ip) => /^(None|[\da-fA-F.:]{0,45})$/.test(ip));
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
      externalName: anyText,
      internalTrafficPolicy: word,
      loadBalancerIP: anyText,
      publishNotReadyAddresses: flag,
      sessionAffinity: word,
      trafficDistribution: word,
      selector: labels,
      ports: shared(list(servicePort)),
    }),
    status: map({ loadBalancer: map({ ingress: list(ingress) }) }),
  },
  ["metadata", "spec"],
);

export type ServicePort = Omit<Of<typeof servicePort>, "nodePort">;
export type Service = Of<typeof service>;

const hostname = text("a DNS label", (name) => name === "" || isDnsLabel(name));
const endpointAddress = map({ ip: looseAddress, hostname }, ["ip"]);
const endpointPort = map({ name: portName, protocol, port }, ["port"]);
const subset = map({
  addresses: list(endpointAddress),
  notReadyAddresses: list(endpointAddress),
  ports: shared(list(endpointPort)),
});

/** Addresses and ports are compared in pairs, and a few bytes make billions of them. */
const subsets = limited(
  list(subset),
  ` have more than ${inDigits(bounds.pairs.most)} pairs of an address and a port`,
  (all) => all.reduce((sum, each) => sum + pairsIn(each), 0) <= bounds.pairs.most,
);

function pairsIn({
  addresses = [],
  notReadyAddresses = [],
  ports = [],
}: Of<typeof subset>): number {
  return (addresses.length + notReadyAddresses.length) * ports.length;
}

export const endpoints = object({ subsets: shared(subsets) });
export type EndpointAddress = Of<typeof endpointAddress>;
export type EndpointPort = Of<typeof endpointPort>;
export type EndpointSubset = Of<typeof subset>;
export type Endpoints = Of<typeof endpoints>;

export const configMap = object({ data: texts() });
/** The values of `data` are base64. */
export const secret = object({ type: anyText, data: texts() });
export type Secret = Of<typeof secret>;

export const lease = object({ spec: map({ holderIdentity: anyText, renewTime: anyText }) });

export const serviceCidr = clusterScoped({ spec: map({ cidrs: ranges }) });

/** Addresses of a node are IPs, and names of the machine. */
export const node = clusterScoped({
  spec: map({ podCIDRs: ranges }),
  status: map({ addresses: list(map({ address: text("an address") }, ["address"])) }),
});
export type Node = Of<typeof node>;

export function keyOf({ metadata }: { readonly metadata: ObjectMeta }): ObjectKey {
  return objectKey(metadata.namespace, metadata.name);
}

export function objectKey(namespace: string, name: string): ObjectKey {
  return `${namespace}/${name}`;
}

export function namespaceOf(key: ObjectKey): string {
  return key.slice(0, key.indexOf("/"));
}

export function isHeadless(service: Service): boolean {
  return service.spec.clusterIP === "None";
}
