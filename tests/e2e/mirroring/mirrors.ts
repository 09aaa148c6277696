import type {
  EndpointSubset,
  ServicePort,
  StringMap,
} from "../../../engine/kubernetes/objects/objects.ts";
import { p12, podPorts } from "./objects.ts";

/**
 * Services and Endpoints of one namespace of the source, whole but for what the API server makes
 * up: a ClusterIP is `an address`, or where it is an endpoint `ClusterIP of pod-0-west`, and the
 * resource version of an exported object is `the Service's` or `the Endpoints'`.
 */
export interface Contents {
  readonly services: Readonly<Record<string, ServiceView>>;
  readonly endpoints: Readonly<Record<string, EndpointsView>>;
}

export interface ServiceView {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly type: string;
  readonly clusterIP: string;
  readonly ports: readonly ServicePort[];
}

export interface EndpointsView {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly subsets: readonly EndpointSubset[];
}

export const nothing: Contents = { services: {}, endpoints: {} };

export function together(...parts: readonly Contents[]): Contents {
  return {
    services: Object.assign({}, ...parts.map((part) => part.services)) as Contents["services"],
    endpoints: Object.assign({}, ...parts.map((part) => part.endpoints)) as Contents["endpoints"],
  };
}

/** Of the gateway in west, whose values are those of Linkerd's own tests. */
export const gateway = { addresses: ["192.0.2.127"], port: 888, identity: "gateway-identity" };

export interface MirrorParts {
  readonly target?: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly ports?: readonly ServicePort[];
  /** Annotation with the resource version of what is mirrored. */
  readonly version?: string;
  readonly gateway?: typeof gateway;
}

type OfService = MirrorParts & { readonly namespace: string; readonly service: string };

export function gatewayMirror(parts: OfService & { readonly leadsNowhere?: boolean }): Contents {
  const { namespace, service, target = "west", leadsNowhere = false } = parts;
  const labels = ownerLabels(parts);
  const remote = `${service}.${namespace}.svc.cluster.local`;
  const name = `${service}-${target}`;
  return {
    services: { [name]: serviceView(parts, labels, remote) },
    endpoints: { [name]: throughGateway(parts, labels, remote, leadsNowhere) },
  };
}

export function discoveryMirror(parts: OfService): Contents {
  const { namespace, service, target = "west" } = parts;
  const labels = {
    ...ownerLabels(parts),
    "multicluster.linkerd.io/remote-discovery": target,
    "multicluster.linkerd.io/remote-service": service,
  };
  const remote = `${service}.${namespace}.svc.cluster.local`;
  return {
    services: { [`${service}-${target}`]: serviceView(parts, labels, remote) },
    endpoints: {},
  };
}

/** A headless mirror with the endpoint mirrors of these pods. */
export function headlessMirror(
  parts: OfService & {
    readonly hosts: readonly string[];
    /** Of an endpoint mirror's annotation, for those that stay as they are. */
    readonly versions?: StringMap;
    /** Where pods have other ports than `p12`. */
    readonly podPorts?: NonNullable<EndpointSubset["ports"]>;
  },
): Contents {
  const { namespace, service, target = "west", hosts, versions = {} } = parts;
  const name = `${service}-${target}`;
  const labels = ownerLabels(parts);
  const remote = `${service}.${namespace}.svc.cluster.local`;
  const addresses = hosts.map((hostname) => ({
    hostname,
    ip: `ClusterIP of ${hostname}-${target}`,
  }));
  const root: Contents = {
    services: { [name]: { ...serviceView(parts, labels, remote), clusterIP: "None" } },
    endpoints: {
      [name]: {
        ...throughGateway(parts, labels, remote, true),
        subsets: hosts.length === 0 ? [] : [{ addresses, ports: parts.podPorts ?? podPorts }],
      },
    },
  };
  const pods = hosts.map((hostname): Contents => {
    const own = {
      ...parts,
      annotations: opaque(parts.annotations),
      version: versions[hostname] ?? "the Endpoints'",
    };
    const podLabels = {
      ...ownerLabels({ ...parts, labels: {} }),
      "mirror.linkerd.io/headless-mirror-svc-name": name,
    };
    const podRemote = `${hostname}.${remote}`;
    return {
      services: { [`${hostname}-${target}`]: serviceView(own, podLabels, podRemote) },
      endpoints: { [`${hostname}-${target}`]: throughGateway(own, podLabels, podRemote, false) },
    };
  });
  return together(root, ...pods);
}

function opaque(annotations: StringMap = {}): StringMap {
  const ports = annotations["config.linkerd.io/opaque-ports"];
  return ports === undefined ? {} : { "config.linkerd.io/opaque-ports": ports };
}

function ownerLabels({ labels = {}, target = "west" }: MirrorParts): StringMap {
  return {
    ...labels,
    "mirror.linkerd.io/cluster-name": target,
    "mirror.linkerd.io/mirrored-service": "true",
  };
}

function serviceView(parts: MirrorParts, labels: StringMap, remote: string): ServiceView {
  const { annotations = {}, version = "the Service's", ports = p12 } = parts;
  return {
    labels,
    annotations: {
      ...annotations,
      "mirror.linkerd.io/remote-resource-version": version,
      "mirror.linkerd.io/remote-svc-fq-name": remote,
    },
    type: "ClusterIP",
    clusterIP: "an address",
    ports,
  };
}

function throughGateway(
  parts: MirrorParts,
  labels: StringMap,
  remote: string,
  leadsNowhere: boolean,
): EndpointsView {
  const { gateway: { addresses, port, identity } = gateway, ports = p12 } = parts;
  return {
    labels,
    annotations: {
      "mirror.linkerd.io/remote-gateway-identity": identity,
      "mirror.linkerd.io/remote-svc-fq-name": remote,
    },
    subsets: leadsNowhere
      ? []
      : [
          {
            addresses: addresses.map((ip) => ({ ip })),
            ports: ports.map(({ name, protocol = "TCP" }) => ({
              ...(name !== undefined && { name }),
              protocol,
              port,
            })),
          },
        ],
  };
}
