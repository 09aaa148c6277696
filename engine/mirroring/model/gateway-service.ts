import type { Service } from "../../kubernetes/objects.ts";
import { annotation, gatewayPort } from "./vocabulary.ts";

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

/** Sentences about what a gateway Service does not say, where a link does not say it either. */
export const gatewayLacks = {
  addresses: (where: string, { spec: { type = "ClusterIP" } }: Service) =>
    type === "LoadBalancer"
      ? `the gateway Service ${where} has no load balancer address yet: wait for one, or set gateway.addresses on the link`
      : `the gateway Service ${where} is of type ${type} and so has no address of its own: set gateway.addresses on the link`,
  port: (where: string) =>
    `the gateway Service ${where} has no port named ${gatewayPort}: set gateway.port on the link`,
  identity: (where: string) =>
    `the gateway Service ${where} has no annotation ${annotation.gatewayIdentity}: set gateway.identity on the link`,
} as const;
