import type { Mirror, MirrorEndpoints, MirrorSubset } from "../../model/mirror.ts";
import {
  type EndpointPort,
  type Endpoints,
  isHeadless,
  keyOf,
  malformed,
  type Service,
  type ServicePort,
  type StringMap,
} from "../../../kubernetes/objects/objects.ts";
import { annotation, label, mirrorName, remoteName } from "../../model/vocabulary.ts";
import { anyReady } from "../../model/pods.ts";
import { copiedAnnotations, copiedLabels, ownerLabels, withheld } from "../../model/metadata.ts";
import type { Gateway } from "../../model/gateway.ts";
import type { LinkSpec } from "../../model/link.ts";
import { mirrorsOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";

/** A mirror behind the target's gateway (linkerd-behaviour.md 2.4 - 2.8, 2.11). */
export function gatewayMirror(
  service: Service,
  endpoints: Endpoints | undefined,
  link: LinkSpec,
  gateway: Gateway,
): Mirror {
  const labels = { ...copiedLabels(service, link), ...ownerLabels(link.target) };
  const empty = link.readiness === "follow" && !anyReady(endpoints);
  return {
    kind: "gateway",
    ...mirrorIdentity(service, link),
    labels,
    endpoints: gatewayEndpoints(service, gateway, labels, fullName(service, link), empty),
  };
}

/** What every mirror of a whole Service has, whatever its kind. */
export function mirrorIdentity(service: Service, link: LinkSpec): Omit<Mirror, "kind" | "labels"> {
  const { name, namespace, resourceVersion = "" } = service.metadata;
  return {
    namespace,
    name: mirrorName(name, link.target),
    origin: keyOf(service),
    annotations: {
      ...copiedAnnotations(service, link),
      [annotation.remoteName]: fullName(service, link),
      [annotation.remoteResourceVersion]: resourceVersion,
    },
    ports: mirroredPorts(service),
    ...withheld(service, link),
  };
}

/** Endpoints that lead to the gateway, or nowhere. */
export function gatewayEndpoints(
  service: Service,
  gateway: Gateway,
  labels: StringMap,
  remote: string,
  empty: boolean,
): MirrorEndpoints {
  return {
    labels,
    annotations: endpointsAnnotations(remote, gateway),
    subsets: empty
      ? []
      : [
          {
            addresses: gateway.addresses.map((ip) => ({ ip })),
            ports: gatewayPorts(service, gateway.port),
            ...gatewayReadiness(gateway),
          },
        ],
  };
}

/**
 * While a gateway is down, Endpoints keep its addresses and none of them is ready, as with Linkerd's
 * controller (linkerd-behaviour.md 2.12).
 */
export function gatewayReadiness({ probe }: Gateway): Pick<MirrorSubset, "ready"> {
  return probe?.down === undefined ? {} : { ready: false };
}

export function endpointsAnnotations(remote: string, gateway: Gateway): StringMap {
  return {
    [annotation.remoteName]: remote,
    ...(gateway.identity !== "" && { [annotation.remoteGatewayIdentity]: gateway.identity }),
  };
}

export function fullName(service: Service, link: LinkSpec): string {
  return remoteName([service.metadata.name], service.metadata.namespace, link.targetDomain);
}

/**
 * A mirror for a flat network: its labels tell Linkerd's destination controller which Service of
 * which cluster to watch, so it has no Endpoints (linkerd-behaviour.md 2.6, 5).
 */
export function discoveryMirror(service: Service, link: LinkSpec): Mirror {
  return {
    kind: "discovery",
    ...mirrorIdentity(service, link),
    labels: {
      ...copiedLabels(service, link),
      ...ownerLabels(link.target),
      [label.remoteDiscovery]: link.target,
      [label.remoteService]: service.metadata.name,
    },
  };
}

/**
 * The mirrors of a target that can't be read, just as they are but for one thing that is known of it:
 * whether its gateway is alive. Only of those that lead to this gateway.
 */
export function standingMirrors(
  link: LinkSpec,
  source: ClusterSnapshot,
  gateway: Gateway,
): Mirror[] {
  const { owns } = mirrorsOf(link.target);
  return [...source.services].flatMap(([key, service]) => {
    const endpoints = source.endpoints.get(key);
    if (!owns(service) || isHeadless(service) || endpoints === undefined) return [];
    if (service[malformed] !== undefined || endpoints[malformed] !== undefined) return [];
    if (!owns(endpoints) || !leadsTo(gateway, endpoints)) return [];
    return [standing(service, endpoints, gateway)];
  });
}

function leadsTo({ addresses }: Gateway, { subsets = [] }: Endpoints): boolean {
  const all = subsets.flatMap((subset) => [
    ...(subset.addresses ?? []),
    ...(subset.notReadyAddresses ?? []),
  ]);
  return all.length > 0 && all.every(({ ip }) => addresses.includes(ip));
}

function standing({ metadata, spec }: Service, endpoints: Endpoints, gateway: Gateway): Mirror {
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  return {
    kind: labels[label.headlessRoot] === undefined ? "gateway" : "endpoint",
    ...{ name, namespace, labels, annotations },
    origin: `${namespace}/${name}`,
    ports: spec.ports ?? [],
    endpoints: {
      labels: endpoints.metadata.labels ?? {},
      annotations: endpoints.metadata.annotations ?? {},
      subsets: (endpoints.subsets ?? []).map((subset) => ({
        addresses: [...(subset.addresses ?? []), ...(subset.notReadyAddresses ?? [])],
        ports: subset.ports ?? [],
        ...gatewayReadiness(gateway),
      })),
    },
  };
}

/**
 * Ports of a mirror: those of the exported Service without its node ports (linkerd-behaviour.md 2.8).
 * Unlike Linkerd's, they keep `appProtocol`, by which proxies know an opaque port (linkerd2 #13660).
 */
export function mirroredPorts(service: Service): ServicePort[] {
  return (service.spec.ports ?? []).map(({ name, protocol, port, targetPort, appProtocol }) => ({
    ...(name !== undefined && { name }),
    ...(protocol !== undefined && { protocol }),
    port,
    ...(targetPort !== undefined && { targetPort }),
    ...(appProtocol !== undefined && { appProtocol }),
  }));
}

/** Every port of the Service leads to the one port of the gateway, under its own name. */
export function gatewayPorts(service: Service, gatewayPort: number): EndpointPort[] {
  return (service.spec.ports ?? []).map(({ name, protocol }) => ({
    ...(name !== undefined && { name }),
    ...(protocol !== undefined && { protocol }),
    port: gatewayPort,
  }));
}
