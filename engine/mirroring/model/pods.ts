import {
  type EndpointAddress,
  type EndpointPort,
  type Endpoints,
  objectKey,
  type ObjectKey,
} from "../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "./link.ts";
import type { ClusterSnapshot } from "./snapshot.ts";
import { endpointMirrorName, label, mirrorName } from "./vocabulary.ts";

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

/** Hostnames of the pods that have endpoint mirrors, by the headless mirror. */
export type MirroredPods = ReadonlyMap<ObjectKey, readonly string[]>;

export function podsMirrored(
  link: Pick<LinkSpec, "target">,
  source: ClusterSnapshot,
): MirroredPods {
  const found = new Map<ObjectKey, string[]>();
  const suffix = endpointMirrorName("", link.target);
  for (const { metadata } of source.services.values()) {
    const { name, namespace, labels = {} } = metadata;
    const root = labels[label.headlessRoot];
    const isOurs = labels[label.mirrored] === "true" && labels[label.cluster] === link.target;
    if (root === undefined || !isOurs || !name.endsWith(suffix)) continue;
    const key = objectKey(namespace, root);
    const hostnames = found.get(key) ?? [];
    hostnames.push(name.slice(0, -suffix.length));
    found.set(key, hostnames);
  }
  return found;
}

/** Whether a pod that has a mirror is missing from its Service's Endpoints. */
export function podsMissed(
  link: LinkSpec,
  source: ClusterSnapshot,
  target: ClusterSnapshot,
): boolean {
  if (!link.headless || link.readiness === "follow") return false;
  const suffix = mirrorName("", link.target);
  return [...podsMirrored(link, source)].some(([root, hostnames]) => {
    const [namespace = "", name = ""] = root.split("/");
    const endpoints = target.endpoints.get(objectKey(namespace, name.slice(0, -suffix.length)));
    const listed = new Set(hostSubsets(endpoints, "ignore").flatMap((subset) => subset.hostnames));
    return hostnames.some((hostname) => !listed.has(hostname));
  });
}
