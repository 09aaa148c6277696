import {
  type EndpointAddress,
  type EndpointPort,
  type Endpoints,
  objectKey,
  type ObjectKey,
} from "../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "./link.ts";
import { mirrorsOf } from "./owner.ts";
import type { ClusterSnapshot } from "./snapshot.ts";
import { label, mirrorName } from "./vocabulary.ts";

export interface HostSubset {
  readonly hostnames: readonly string[];
  readonly ports: readonly EndpointPort[];
}

/** Whether any address, ready or not, has a hostname: only then can a mirror be headless (3.1). */
export function anyNamed(endpoints: Endpoints): boolean {
  return (endpoints.subsets ?? []).some((subset) =>
    [...(subset.addresses ?? []), ...(subset.notReadyAddresses ?? [])].some(hasName),
  );
}

export function anyReady(endpoints: Endpoints | undefined): boolean {
  return (endpoints?.subsets ?? []).some((subset) => (subset.addresses ?? []).length > 0);
}

/** Kubernetes sets this annotation on Endpoints that had more addresses than it lists. */
export function truncated(endpoints: Endpoints): boolean {
  return endpoints.metadata.annotations?.["endpoints.kubernetes.io/over-capacity"] === "truncated";
}

/**
 * Returns subsets with the hostnames to mirror: all named pods, or with `readiness: follow` the ready ones
 * (linkerd-behaviour.md 3.3, 3.4). Subsets without hostnames are left out.
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

/**
 * Returns hostnames of pods that have endpoint mirrors but are missing from the Endpoints, by Service. With
 * `readiness: follow` there are none: a missing pod loses its mirror at once, as in Linkerd.
 */
export function absentPods(
  link: LinkSpec,
  source: ClusterSnapshot,
  target: ClusterSnapshot,
): ReadonlyMap<ObjectKey, readonly string[]> {
  const absent = new Map<ObjectKey, string[]>();
  if (!link.headless || link.readiness === "follow") return absent;
  const { owns } = mirrorsOf(link.target);
  const suffix = mirrorName("", link.target);
  const listed = new Map<ObjectKey, ReadonlySet<string>>();
  for (const service of source.services.values()) {
    const { name, namespace, labels } = service.metadata;
    const root = labels?.[label.headlessRoot];
    if (root === undefined || !owns(service) || !name.endsWith(suffix)) continue;
    const hostname = name.slice(0, -suffix.length);
    const key = objectKey(namespace, root.slice(0, -suffix.length));
    const names = listed.get(key) ?? hostnamesIn(target.endpoints.get(key));
    listed.set(key, names);
    if (!names.has(hostname)) absent.set(key, [...(absent.get(key) ?? []), hostname]);
  }
  return absent;
}

function hostnamesIn(endpoints: Endpoints | undefined): ReadonlySet<string> {
  return new Set(hostSubsets(endpoints, "ignore").flatMap(({ hostnames }) => hostnames));
}
