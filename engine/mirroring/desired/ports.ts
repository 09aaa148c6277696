import type { EndpointPort, Service, ServicePort } from "../../kubernetes/objects.ts";

/**
 * Ports of a mirror: name, protocol, port and targetPort of the exported Service; node ports and
 * application protocols stay behind (linkerd-behaviour.md 2.8).
 */
export function mirroredPorts(service: Service): ServicePort[] {
  return (service.spec.ports ?? []).map(({ name, protocol, port, targetPort }) => ({
    ...(name !== undefined && { name }),
    ...(protocol !== undefined && { protocol }),
    port,
    ...(targetPort !== undefined && { targetPort }),
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
