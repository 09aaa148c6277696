import type { Gateway } from "../../model/gateway.ts";
import type { LinkSpec } from "../../model/link.ts";
import type { Mirror, MirrorEndpoints, MirrorSubset } from "../../model/mirror.ts";
import {
  keyOf,
  type Endpoints,
  type Service,
  type StringMap,
} from "../../../kubernetes/objects/objects.ts";
import { annotation, mirrorName, remoteName } from "../../model/vocabulary.ts";
import { anyReady } from "../../model/hosts.ts";
import { copiedAnnotations, copiedLabels, ownerLabels, withheld } from "../../model/metadata.ts";
import { gatewayPorts, mirroredPorts } from "./ports.ts";

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
