import { isIP, isIPv4 } from "node:net";

/** An object in the API's JSON, as far as it is known to every kind. */
export interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly [field: string]: unknown;
}

export interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly [field: string]: unknown;
}

interface Port {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
  readonly targetPort?: number | string;
}

interface Subset {
  readonly addresses?: readonly Address[];
  readonly notReadyAddresses?: readonly Address[];
  readonly ports?: readonly Port[];
}

interface Address {
  readonly ip: string;
  readonly hostname?: string;
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const serviceName = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const labelKey = /^([a-z0-9][-a-z0-9.]*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** What Kubernetes' validation has against an object, as `field: why`; empty where it takes it. */
export function objections(object: Stored): string[] {
  return [...metadataObjections(object), ...specObjections(object)];
}

function* metadataObjections({ kind, metadata }: Stored): Generator<string> {
  const { name, labels = {}, annotations = {} } = metadata;
  const valid = { Namespace: dnsLabel, Service: serviceName }[kind] ?? subdomain;
  if (!valid.test(name) || name.length > 253) yield `metadata.name: Invalid value: "${name}"`;
  for (const [key, value] of Object.entries(labels)) {
    if (!labelKey.test(key)) yield `metadata.labels: Invalid value: "${key}"`;
    if (!labelValue.test(value)) yield `metadata.labels: Invalid value: "${value}"`;
  }
  const size = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + key.length + value.length,
    0,
  );
  if (size > 256 * 1024) yield "metadata.annotations: Too long: may not be more than 262144 bytes";
}

function* specObjections({ kind, ...object }: Stored): Generator<string> {
  if (kind === "Service") {
    const { ports = [], clusterIP, type } = (object.spec ?? {}) as ServiceSpec;
    if (ports.length === 0 && clusterIP !== "None" && type !== "ExternalName")
      yield "spec.ports: Required value";
    yield* portObjections("spec.ports", ports);
  }
  if (kind === "Endpoints") {
    for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsetsOf(object)) {
      if (addresses.length + notReadyAddresses.length === 0)
        yield "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`";
      yield* portObjections("subsets[0].ports", ports, false);
      for (const { ip, hostname } of [...addresses, ...notReadyAddresses]) {
        if (isIP(ip) === 0 || isSpecial(ip))
          yield `subsets[0].addresses[0].ip: Invalid value: "${ip}"`;
        if (hostname !== undefined && !dnsLabel.test(hostname))
          yield `subsets[0].addresses[0].hostname: Invalid value: "${hostname}"`;
      }
    }
  }
}

function* portObjections(
  field: string,
  ports: readonly Port[],
  areUnique = true,
): Generator<string> {
  const seen = new Set<string>();
  for (const { name = "", port, protocol = "TCP" } of ports) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      yield `${field}[0].port: Invalid value: ${port}`;
    if (name === "" && ports.length > 1) yield `${field}[0].name: Required value`;
    if (name !== "" && !dnsLabel.test(name)) yield `${field}[0].name: Invalid value: "${name}"`;
    const known = areUnique ? [`${protocol} ${port}`, ...(name === "" ? [] : [name])] : [];
    for (const each of known) {
      if (seen.has(each)) yield `${field}[1]: Duplicate value`;
      seen.add(each);
    }
  }
}

/** Loopback, link-local, multicast and unspecified addresses are no endpoints. */
function isSpecial(ip: string): boolean {
  return isIPv4(ip)
    ? /^(127\.|169\.254\.|0\.0\.0\.0$|2(2[4-9]|3\d)\.)/.test(ip)
    : /^(::1?$|fe[89ab]|ff)/i.test(ip);
}

interface ServiceSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly ports?: readonly Port[];
}

function subsetsOf(object: Readonly<Record<string, unknown>>): readonly Subset[] {
  return (object.subsets ?? []) as readonly Subset[];
}

/**
 * The object with what the API server fills in: a ClusterIP and ports spelled out for a Service,
 * subsets repacked for Endpoints.
 *
 * @param before the live object, where this is an update
 * @param address a free ClusterIP
 */
export function completed(
  object: Stored,
  before: Stored | undefined,
  address: () => string,
): Stored {
  if (object.kind === "Service") {
    const sent = (object.spec ?? {}) as ServiceSpec;
    const { type = "ClusterIP" } = sent;
    const known = (before?.spec ?? {}) as ServiceSpec;
    const clusterIP = sent.clusterIP ?? known.clusterIP ?? address();
    const ports = sent.ports?.map((port) => ({ protocol: "TCP", targetPort: port.port, ...port }));
    const spec = { ...sent, type, ...(ports && { ports }) };
    return { ...object, spec: type === "ExternalName" ? spec : { ...spec, clusterIP } };
  }
  if (object.kind === "Endpoints" && subsetsOf(object).length > 0)
    return { ...object, subsets: repacked(subsetsOf(object)) };
  return object;
}

/** Why an update is refused: what may not change after creation. */
export function immutable(object: Stored, before: Stored): string[] {
  if (object.kind !== "Service") return [];
  const { clusterIP } = (object.spec ?? {}) as ServiceSpec;
  const { clusterIP: known } = (before.spec ?? {}) as ServiceSpec;
  return known !== undefined && clusterIP !== known
    ? [`spec.clusterIP: Invalid value: "${clusterIP}": field is immutable`]
    : [];
}

/** As `RepackSubsets` of Kubernetes: addresses with the same ports together, everything in order. */
function repacked(subsets: readonly Subset[]): Subset[] {
  const portsOf = new Map<string, Port>();
  // By address: whether it is ready, and its ports.
  const addresses = new Map<string, { address: Address; ready: boolean; ports: Set<string> }>();
  for (const { addresses: ready = [], notReadyAddresses = [], ports = [] } of subsets) {
    const spelled = ports.map((port) => ({ protocol: "TCP", ...port }));
    const keys = spelled.map((port) => JSON.stringify([port.name ?? "", port.protocol, port.port]));
    keys.forEach((key, index) => portsOf.set(key, spelled[index] ?? { port: 0 }));
    const add = (address: Address, isReady: boolean) => {
      const key = JSON.stringify([address.ip, address.hostname ?? "", isReady]);
      const known = addresses.get(key) ?? { address, ready: isReady, ports: new Set() };
      for (const port of keys.length === 0 ? [""] : keys) known.ports.add(port);
      addresses.set(key, known);
    };
    for (const address of ready) add(address, true);
    for (const address of notReadyAddresses) add(address, false);
  }
  const groups = new Map<string, { ready: Address[]; notReady: Address[] }>();
  for (const { address, ready, ports } of addresses.values()) {
    const key = JSON.stringify([...ports].sort());
    const group = groups.get(key) ?? { ready: [], notReady: [] };
    (ready ? group.ready : group.notReady).push(address);
    groups.set(key, group);
  }
  return [...groups].sort().map(([key, { ready, notReady }]) => {
    const ports = (JSON.parse(key) as string[]).flatMap((port) => portsOf.get(port) ?? []);
    return {
      ...(ready.length > 0 && { addresses: ready.sort(byAddress) }),
      ...(notReady.length > 0 && { notReadyAddresses: notReady.sort(byAddress) }),
      ...(ports.length > 0 && { ports }),
    };
  });
}

function byAddress(a: Address, b: Address): number {
  const [one, other] = [a, b].map(({ ip, hostname = "" }) => `${ip} ${hostname}`);
  return (one ?? "") < (other ?? "") ? -1 : 1;
}
