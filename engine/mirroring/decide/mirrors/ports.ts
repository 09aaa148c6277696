import type { EndpointPort, Service, ServicePort } from "../../../kubernetes/objects/objects.ts";

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
