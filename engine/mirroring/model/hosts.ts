import type { EndpointAddress, EndpointPort, Endpoints } from "../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "./link.ts";

/** The named pods of one subset of a headless Service's Endpoints. */
export interface HostSubset {
  readonly hostnames: readonly string[];
  readonly ports: readonly EndpointPort[];
}

/** Whether any address, ready or not, has a name: only then can a mirror be headless (3.1). */
export function anyNamed(endpoints: Endpoints): boolean {
  return (endpoints.subsets ?? []).some((subset) =>
    [...(subset.addresses ?? []), ...(subset.notReadyAddresses ?? [])].some(hasName),
  );
}

export function anyReady(endpoints: Endpoints | undefined): boolean {
  return (endpoints?.subsets ?? []).some((subset) => (subset.addresses ?? []).length > 0);
}

/** Kubernetes' note on Endpoints that had more addresses than it lists. */
export function truncated(endpoints: Endpoints): boolean {
  return endpoints.metadata.annotations?.["endpoints.kubernetes.io/over-capacity"] === "truncated";
}

/**
 * Subsets with the hostnames to mirror: all named pods, or with `readiness: follow` the ready ones
 * (linkerd-behaviour.md 3.3, 3.4). Subsets without one are left out.
 */
export function hostSubsets(
  endpoints: Endpoints | undefined,
  readiness: LinkSpec["readiness"],
): HostSubset[] {
  return (endpoints?.subsets ?? [])
    .map((subset) => {
      const addresses = [
        ...(subset.addresses ?? []),
        ...(readiness === "follow" ? [] : (subset.notReadyAddresses ?? [])),
      ];
      const hostnames = addresses.filter(hasName).map((address) => address.hostname);
      return { hostnames: [...new Set(hostnames)].sort(), ports: subset.ports ?? [] };
    })
    .filter((subset) => subset.hostnames.length > 0);
}

function hasName(
  address: EndpointAddress,
): address is EndpointAddress & { readonly hostname: string } {
  return address.hostname !== undefined && address.hostname !== "";
}
