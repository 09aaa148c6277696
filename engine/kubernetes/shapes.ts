import { isIP } from "node:net";
import { bounds } from "./bounds.ts";
import {
  also,
  anything,
  type Check,
  either,
  flag,
  keys,
  list,
  map,
  shared,
  text,
  texts,
  wholeNumber,
} from "./checks.ts";
import { isCidr, isDnsLabel, isDnsName, isLabelKey, isLabelValue, isPortName } from "./names.ts";

/**
 * What the types of objects.ts and link-resource.ts promise, checked where the API's JSON comes in.
 * An API server has validated its objects by the same rules; something that only passes for one, or
 * one that somebody has taken over, has not, and what it says is written into other clusters.
 */
export interface Shape {
  /** Says which object it is; without that nothing can be concluded from the list that it is in. */
  readonly identity: Check;
  readonly rest: Check;
  /** Each is taken out where it is wrong, as if the object did not have it. */
  readonly dispensable?: Readonly<Record<string, Check>>;
  /** The object is marked as malformed where the rest is wrong (objects.ts), and its list stands. */
  readonly marked?: true;
}

/** An opaque word of the API server, which sentences may show. */
const word = text("a word", (value) => value.length <= 253 && /^[!-~]*$/.test(value));
const time = text("a time", (value) =>
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/.test(
    value,
  ),
);
const anyText = text("text");
const dnsLabel = text("a DNS label", isDnsLabel);
const dnsName = text("a DNS name", isDnsName);
const named = map({ name: dnsName, namespace: dnsLabel }, ["name", "namespace"]);
const namedAsHost = map({ name: dnsLabel, namespace: dnsLabel }, ["name", "namespace"]);
const identity = map({ metadata: named }, ["metadata"]);
const labels = shared(texts(isLabelKey, isLabelValue));
const annotations = texts(
  (key) => isLabelKey(key.toLowerCase()),
  undefined,
  bounds.annotations.most,
);

/** Kubernetes allows a manager 128 printable characters. */
const manager = text(
  "a field manager",
  (value) => value.length <= 128 && /^[ -~]*$|^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(value),
);

/** The keys that a manager has set; of all other fields nobody asks who. */
const fieldsV1 = shared(map({ "f:metadata": map({ "f:labels": keys, "f:annotations": keys }) }));

const metadata = map({
  // As `identity` has found them right.
  ...{ name: anyText, namespace: anyText },
  uid: word,
  resourceVersion: word,
  creationTimestamp: time,
  deletionTimestamp: time,
  labels,
  annotations,
  managedFields: list(map({ manager, operation: word, time, fieldsV1 })),
});

const port = wholeNumber(1, 65_535);
const protocol = text("TCP, UDP or SCTP", (value) => /^(TCP|UDP|SCTP)$/.test(value));
const portName = text("the name of a port", (value) => value === "" || isDnsLabel(value));
const count = wholeNumber(0, 2 ** 31 - 1);

const servicePorts = also(
  shared(
    list(
      map(
        {
          name: portName,
          protocol,
          port,
          targetPort: either(port, text("a port", isPortName)),
          nodePort: port,
          appProtocol: text("an application protocol", isLabelKey),
        },
        ["port"],
      ),
    ),
  ),
  distinctPorts,
);

/** Several ports need names, and no two may be the same. */
function distinctPorts(value: unknown): string | undefined {
  const ports = value as readonly { name?: string; protocol?: string; port: number }[];
  if (ports.length < 2) return undefined;
  const names = new Set(ports.map(({ name = "" }) => name));
  const numbers = new Set(ports.map((each) => `${each.port}/${each.protocol ?? "TCP"}`));
  const isDistinct = names.size === ports.length && numbers.size === ports.length && !names.has("");
  return isDistinct ? undefined : " names a port twice";
}

const clusterIP = text("an IP address", (ip) => ip === "" || ip === "None" || isIP(ip) !== 0);

const service: Shape = {
  identity: map({ metadata: namedAsHost }, ["metadata"]),
  rest: map(
    {
      metadata,
      spec: map({
        type: word,
        clusterIP,
        clusterIPs: list(clusterIP, 2),
        selector: labels,
        ports: servicePorts,
      }),
      status: map({
        loadBalancer: map({
          ingress: list(
            map({
              ip: text("an IP address", (ip) => ip === "" || isIP(ip) !== 0),
              hostname: text("a DNS name", (host) => host === "" || isDnsName(host.toLowerCase())),
            }),
            bounds.ingress.most,
          ),
        }),
      }),
    },
    ["spec"],
  ),
  marked: true,
};

/** Endpoints that were made before Kubernetes refused leading zeros may still have them. */
const podAddress = text("an IP address", (ip) => /^[\da-fA-F.:]{2,45}$/.test(ip));
const addresses = list(
  map(
    { ip: podAddress, hostname: text("a DNS label", (name) => name === "" || isDnsLabel(name)) },
    ["ip"],
  ),
);

const subset = map({
  addresses,
  notReadyAddresses: addresses,
  ports: shared(list(map({ name: portName, protocol, port }, ["port"]))),
});

const endpoints: Shape = {
  identity,
  rest: map({ metadata, subsets: shared(list(subset)) }),
  marked: true,
};

const namespace: Shape = {
  identity: map({ metadata: map({ name: dnsLabel }, ["name"]) }, ["metadata"]),
  rest: map({ metadata }),
};

/** Of a kind without namespaces of which only `metadata` is used. */
const clusterScoped: Shape = {
  identity: map({ metadata: map({ name: dnsName }, ["name"]) }, ["metadata"]),
  rest: map({ metadata }),
};

/** Of a kind of which these fields are used, beside `metadata`. */
function namespaced(fields: Readonly<Record<string, Check>>): Shape {
  return { identity, rest: map({ metadata, ...fields }) };
}

const containers = shared(
  list(
    map({ name: anyText, env: list(map({ name: anyText, value: anyText }, ["name"])) }, ["name"]),
  ),
);
const containerStatuses = list(
  map({ name: anyText, restartCount: count, state: map({ running: anything }) }, ["name"]),
);

const reference = map({ group: anyText, kind: anyText, name: dnsName, namespace: dnsLabel }, [
  "name",
  "namespace",
]);
const condition = map({
  type: anyText,
  status: anyText,
  reason: anyText,
  message: anyText,
  lastTransitionTime: time,
  localRef: reference,
});
const serviceStatuses = list(
  map({ controllerName: anyText, remoteRef: reference, conditions: list(condition) }, [
    "remoteRef",
  ]),
);

/** Nothing but its status is judged by what is in a Link, so neither it nor its list is lost with that. */
const link: Shape = {
  identity,
  rest: map({ metadata }),
  dispensable: {
    spec: map({
      targetClusterName: anyText,
      targetClusterDomain: anyText,
      targetClusterLinkerdNamespace: anyText,
      clusterCredentialsSecret: anyText,
      gatewayAddress: anyText,
      gatewayPort: anyText,
      gatewayIdentity: anyText,
    }),
    status: map({ mirrorServices: serviceStatuses, federatedServices: serviceStatuses }),
  },
  marked: true,
};

const lease = namespaced({ spec: map({ holderIdentity: word }) });

export const shapes = {
  lease,
  service,
  endpoints,
  namespace,
  link,
  configMap: namespaced({ data: texts() }),
  secret: namespaced({ type: anyText, data: texts() }),
  pod: namespaced({
    spec: map({ containers, initContainers: containers }),
    status: map({ phase: anyText, containerStatuses, initContainerStatuses: containerStatuses }),
  }),
  deployment: namespaced({
    spec: map({
      replicas: count,
      template: map({ spec: map({ serviceAccountName: dnsName }) }),
    }),
    status: map({ readyReplicas: count }),
  }),
  statefulSet: namespaced({
    spec: map({ serviceName: anyText, replicas: count, ordinals: map({ start: count }) }),
  }),
  serviceCidr: {
    identity: map({ metadata: map({ name: dnsName }, ["name"]) }, ["metadata"]),
    rest: map({ metadata, spec: map({ cidrs: list(text("a range of addresses", isCidr)) }) }),
  },
  node: {
    identity: map({ metadata: map({ name: dnsName }, ["name"]) }, ["metadata"]),
    rest: map({
      metadata,
      spec: map({ podCIDRs: list(text("a range of addresses", isCidr)) }),
      status: map({ addresses: list(map({ address: text("an address") }, ["address"])) }),
    }),
  },
  serviceAccount: namespaced({}),
  clusterScoped,
  /** An answer to a question, which is stored nowhere and has no name. */
  accessReview: {
    identity: map({}),
    rest: map({ status: map({ allowed: flag }, ["allowed"]) }),
  },
} satisfies Record<string, Shape>;
