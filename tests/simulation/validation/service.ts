import { isIP } from "node:net";

import { type Stored, withoutEmpty } from "../objects.ts";
import { type Objection, objection } from "../refusals.ts";
import { duplicateObjections, type Port, portObjections, targetObjections } from "./ports.ts";

export interface ServiceSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports?: readonly Port[];
  readonly ipFamilies?: readonly string[];
  readonly ipFamilyPolicy?: string;
  readonly externalName?: string;
}

export function specOf(object: Stored | undefined): ServiceSpec {
  return object?.spec ?? {};
}

/** What is free in a cluster. */
export interface Allocator {
  readonly address: () => string;
  readonly nodePort: () => number;
  readonly isTaken: (address: string) => boolean;
}

export function* serviceObjections(
  service: Stored,
  before: Stored | undefined,
  { isTaken }: Pick<Allocator, "isTaken">,
): Generator<Objection> {
  const { ports = [], clusterIP, clusterIPs = [], type, externalName = "" } = specOf(service);
  const isExternal = type === "ExternalName";
  if (ports.length === 0 && clusterIP !== "None" && !isExternal)
    yield objection("FieldValueRequired", "spec.ports");
  if (isExternal && externalName === "") yield objection("FieldValueRequired", "spec.externalName");
  yield* portObjections("spec.ports", ports);
  yield* targetObjections("spec.ports", ports);
  yield* duplicateObjections("spec.ports", ports);
  const [first = clusterIP] = clusterIPs;
  const { clusterIP: known, type: was } = specOf(before);
  if (isExternal || first === undefined || first === known) return;
  if (known !== undefined && was !== "ExternalName")
    yield objection("FieldValueInvalid", "spec.clusterIPs[0]", first);
  else if (first !== "None" && isIP(first) === 0)
    yield objection("FieldValueInvalid", "spec.clusterIPs[0]", first);
  else if (isTaken(first)) yield objection("FieldValueInvalid", "spec.clusterIPs", first);
}

/** The Service with what the API server fills in, but for what is to be allocated. */
export function defaulted(service: Stored, before: Stored | undefined): Stored {
  const sent = withoutEmpty(specOf(service), ["clusterIP", "clusterIPs", "ports", "selector"]);
  const { type = "ClusterIP" } = sent;
  const ports = sent.ports?.map((port) => ({
    ...{ protocol: "TCP", ...port },
    targetPort:
      port.targetPort === 0 || port.targetPort === "" ? port.port : (port.targetPort ?? port.port),
  }));
  const spec = { sessionAffinity: "None", ...sent, type, ...(ports && { ports }) };
  if (type !== "ExternalName") return { ...service, spec: addressed(spec, specOf(before)) };
  const { clusterIP: _, clusterIPs: _all, ipFamilies: _families, ...external } = spec;
  const { ipFamilyPolicy: _policy, ...rest } = external;
  return {
    ...service,
    spec: withoutEmpty({ ...rest, internalTrafficPolicy: undefined }, ["internalTrafficPolicy"]),
  };
}

/** What is not said of addresses stays. */
function addressed(spec: ServiceSpec, before: ServiceSpec): ServiceSpec {
  const { clusterIP = before.clusterIP } = spec;
  const isSame = clusterIP === before.clusterIP;
  const sent = spec.clusterIPs;
  // Who changes only the one means both.
  const follows = sent === undefined || (!isSame && sent[0] === before.clusterIP);
  const clusterIPs = follows ? (clusterIP === undefined ? undefined : [clusterIP]) : sent;
  const isEverywhere = clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  const families = isEverywhere
    ? { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" }
    : { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
  const { ipFamilies = families.ipFamilies, ipFamilyPolicy = families.ipFamilyPolicy } = {
    ...withoutEmpty(before, []),
    ...spec,
  };
  return {
    ...{ internalTrafficPolicy: "Cluster", ...spec, ipFamilies, ipFamilyPolicy },
    ...(clusterIP !== undefined && { clusterIP, clusterIPs }),
    ...(isExposed(spec) && { externalTrafficPolicy: "Cluster" }),
    ...(spec.type === "LoadBalancer" && { allocateLoadBalancerNodePorts: true }),
  } as ServiceSpec;
}

/** With an address and node ports where it has to have some. */
export function allocated(service: Stored, { address, nodePort }: Allocator): Stored {
  const spec = specOf(service);
  if (spec.type === "ExternalName") return service;
  const { clusterIP = address() } = spec;
  const ports = spec.ports?.map((port) =>
    isExposed(spec) ? { ...port, nodePort: port.nodePort ?? nodePort() } : port,
  );
  const { clusterIPs = [clusterIP] } = spec;
  return { ...service, spec: { ...spec, clusterIP, clusterIPs, ...(ports && { ports }) } };
}

function isExposed({ type }: ServiceSpec): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}
