import { type Stored, withoutEmpty } from "./objects.ts";
import { invalid } from "./refusals.ts";

interface ServiceSpec {
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports?: readonly Port[];
  readonly ipFamilies?: readonly string[];
  readonly ipFamilyPolicy?: string;
}

interface Port {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
}

interface Subset {
  readonly addresses?: readonly object[];
  readonly notReadyAddresses?: readonly object[];
  readonly ports?: readonly Port[];
}

/**
 * Returns the object with what the API server fills in. It validates only what the program could break: a ClusterIP
 * never changes, a Service has ports, and a subset has an address.
 *
 * @param address returns a free one
 * @throws Refused
 */
export function completed(
  object: Stored,
  before: Stored | undefined,
  address: () => string,
): Stored {
  switch (object.kind) {
    case "Service":
      return completedService(object, before, address);
    case "Endpoints":
      return completedEndpoints(object);
    case "Namespace":
      return completedNamespace(object);
    default:
      return object;
  }
}

/** The API's JSON leaves out these fields of a Service if they are empty. */
const leftOut = ["clusterIP", "clusterIPs", "ports", "selector"];

function completedService(
  service: Stored,
  before: Stored | undefined,
  address: () => string,
): Stored {
  const sent: ServiceSpec = withoutEmpty(service.spec ?? {}, leftOut);
  const known: ServiceSpec = before?.spec ?? {};
  const clusterIP = sent.clusterIP ?? known.clusterIP ?? address();
  if (sent.ports === undefined && clusterIP !== "None")
    throw invalid(service, "spec.ports", "Required");
  // A client that changes only the first field means both.
  const follows = clusterIP !== known.clusterIP && sent.clusterIPs?.[0] === known.clusterIP;
  const clusterIPs = follows ? [clusterIP] : (sent.clusterIPs ?? [clusterIP]);
  if (known.clusterIP !== undefined && clusterIPs[0] !== known.clusterIP)
    throw invalid(service, "spec.clusterIPs[0]", "Invalid");
  const isEverywhere = clusterIP === "None" && sent.selector === undefined;
  const {
    ipFamilies = isEverywhere ? ["IPv4", "IPv6"] : ["IPv4"],
    ipFamilyPolicy = isEverywhere ? "RequireDualStack" : "SingleStack",
  } = { ...known, ...sent };
  const ports = sent.ports?.map((port) => ({ protocol: "TCP", targetPort: port.port, ...port }));
  return {
    status: { loadBalancer: {} },
    ...service,
    spec: {
      sessionAffinity: "None",
      type: "ClusterIP",
      internalTrafficPolicy: "Cluster",
      ...sent,
      clusterIP,
      clusterIPs,
      ipFamilies,
      ipFamilyPolicy,
      ...(ports && { ports }),
    },
  };
}

/** Fills in protocols. Since 1.20, Kubernetes stores subsets as they are sent. */
function completedEndpoints(endpoints: Stored): Stored {
  const all = (endpoints.subsets ?? []) as readonly Subset[];
  const subsets = all.map(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    if (addresses.length + notReadyAddresses.length === 0)
      throw invalid(endpoints, `subsets[${index}]`, "Required");
    return withoutEmpty(
      {
        addresses: addresses.map((each) => withoutEmpty(each, ["hostname"])),
        notReadyAddresses: notReadyAddresses.map((each) => withoutEmpty(each, ["hostname"])),
        ports: ports.map((port) => withoutEmpty({ protocol: "TCP", ...port }, ["name"])),
      },
      ["addresses", "notReadyAddresses", "ports"],
    );
  });
  return withoutEmpty({ ...endpoints, subsets }, ["subsets"]);
}

function completedNamespace(namespace: Stored): Stored {
  const { metadata } = namespace;
  const labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
  return {
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
    ...namespace,
    metadata: { ...metadata, labels },
  };
}
