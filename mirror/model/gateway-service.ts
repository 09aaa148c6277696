import type { Service } from "./objects.ts";

/**
 * What a target's gateway Service says of itself, as `linkerd multicluster link-gen` reads it
 * (linkerd-behaviour.md 1.6).
 */

/** An ingress point's IP, else its hostname; one with neither is passed over. */
export function loadBalancerAddresses(service: Service | undefined): string[] {
  const ingress = service?.status?.loadBalancer?.ingress ?? [];
  return ingress
    .map(({ ip = "", hostname = "" }) => (ip === "" ? hostname : ip))
    .filter((address) => address !== "");
}

/** A NodePort gateway is reached by the port of the node, any other by the Service's own. */
export function portNamed(service: Service | undefined, wanted: string): number | undefined {
  const port = service?.spec.ports?.find(({ name }) => name === wanted);
  return service?.spec.type === "NodePort" ? port?.nodePort : port?.port;
}
