import {
  objectKey,
  type EndpointPort,
  type Endpoints,
  type ObjectKey,
  type Service,
  type ServicePort,
  type StringMap,
} from "../kubernetes/objects/objects.ts";
import type { FieldWriter } from "./field-writers.ts";

interface Kind {
  readonly text: string;
  /** The selector of a link that asks for such mirrors. */
  readonly selector: "mirror" | "discovery" | "federated";
  /** Requests go through the target's gateway, and otherwise straight to its pods. */
  readonly isThroughGateway: boolean;
  /** A route may send requests there. */
  readonly isBackend: boolean;
  /** A mirror of a single pod, which belongs to its headless mirror. */
  readonly isOfPod: boolean;
}

/**
 * - `gateway`: a ClusterIP Service whose Endpoints are the target's gateway.
 * - `headless`: a headless Service whose Endpoints are the ClusterIPs of its endpoint mirrors.
 * - `endpoint`: a ClusterIP Service for one named pod, behind the gateway.
 * - `discovery`: a Service without Endpoints; Linkerd watches the target's pods itself.
 * - `federated`: the union of same-named Services of several clusters, also without Endpoints.
 * - `probe`: the port of the target's gateway that the link's prober asks.
 */
export type MirrorKind = "gateway" | "headless" | "endpoint" | "discovery" | "federated" | "probe";

const behindGateway = { isThroughGateway: true, isBackend: false, isOfPod: false } as const;
const podToPod = { isThroughGateway: false, isBackend: false, isOfPod: false } as const;

/** In what the kinds differ wherever a decision, a report or a command asks. */
export const kinds: Readonly<Record<MirrorKind, Kind>> = {
  gateway: { text: "gateway mirror", selector: "mirror", ...behindGateway, isBackend: true },
  headless: { text: "headless mirror", selector: "mirror", ...behindGateway },
  endpoint: { text: "endpoint mirror", selector: "mirror", ...behindGateway, isOfPod: true },
  discovery: {
    text: "remote-discovery mirror",
    selector: "discovery",
    ...podToPod,
    isBackend: true,
  },
  federated: { text: "federated Service", selector: "federated", ...podToPod },
  // No export asks for it, and it gives access to none.
  probe: { text: "gateway probe", selector: "mirror", ...podToPod },
};

/** The ClusterIP of an endpoint mirror is unknown until the mirror exists. */
export type MirrorAddress =
  { readonly ip: string } | { readonly hostname: string; readonly endpointMirror: ObjectKey };

export interface MirrorSubset {
  readonly addresses: readonly MirrorAddress[];
  readonly ports: readonly EndpointPort[];
}

export interface MirrorEndpoints {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** The list is empty if the mirror has no destination for now. */
  readonly subsets: readonly MirrorSubset[];
}

export interface Mirror {
  readonly kind: MirrorKind;
  readonly namespace: string;
  readonly name: string;
  readonly origin: ObjectKey;
  readonly hostname?: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly ports: readonly ServicePort[];
  /** Absent if there must be no Endpoints object. */
  readonly endpoints?: MirrorEndpoints;
}

export function mirrorKey(mirror: Pick<Mirror, "namespace" | "name">): ObjectKey {
  return objectKey(mirror.namespace, mirror.name);
}

export interface FieldChange {
  readonly field: string;
  readonly live: string;
  readonly wanted: string;
  /** Who else wrote the live value, as far as that is recorded. */
  readonly writer?: FieldWriter;
}

export interface LiveMirror {
  readonly service?: Service;
  readonly endpoints?: Endpoints;
}

export function excludes(patterns: readonly string[], key: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("/*") ? key.startsWith(pattern.slice(0, -1)) : key === pattern,
  );
}

/** Omits node ports (linkerd-behaviour.md 2.8). */
export function clusterPorts({ spec: { ports = [] } }: Service): ServicePort[] {
  return ports.map(({ nodePort: _, ...port }) => port);
}

/** Linkerd's policy controller takes a port with any other `appProtocol` for opaque TCP (policy-controller/core/src/outbound.rs). */
export const knownProtocols: ReadonlySet<string> = new Set([
  "http",
  "kubernetes.io/h2c",
  "linkerd.io/opaque",
  "linkerd.io/tcp",
]);

/** Unlike Linkerd's, these ports keep an `appProtocol` that its proxies know, such as that of opaque ports (linkerd2 #13660). */
export function mirroredPorts(service: Service): ServicePort[] {
  return clusterPorts(service).map((port) => {
    const { appProtocol = "", ...rest } = port;
    return knownProtocols.has(appProtocol) ? port : rest;
  });
}
