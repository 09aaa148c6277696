import { bounds } from "../kubernetes/objects/bounds.ts";
import {
  type EndpointPort,
  type Endpoints,
  isHeadless,
  keyOf,
  type Service,
} from "../kubernetes/objects/objects.ts";
import type { LinkView } from "./observation.ts";
import { inDigits } from "../base/message.ts";
import { label, mirrorPlace } from "./vocabulary.ts";
import type { LinkSpec } from "./link.ts";

export interface HostSubset {
  readonly hostnames: readonly string[];
  readonly ports: readonly EndpointPort[];
}

export function anyReady(endpoints: Endpoints | undefined): boolean {
  return (endpoints?.subsets ?? []).some((subset) => (subset.addresses ?? []).length > 0);
}

/** Returns undefined if nobody knows. */
export function readyPods(endpoints: Endpoints | undefined): number | undefined {
  if (endpoints === undefined || endpoints.metadata.isHead === true) return undefined;
  return (endpoints.subsets ?? []).reduce((sum, { addresses = [] }) => sum + addresses.length, 0);
}

/** Returns all named pods, or with `readiness: follow` the ready ones (linkerd-behaviour.md 3.3, 3.4). */
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
      const hostnames = addresses.flatMap(({ hostname }) => hostname || []);
      return { hostnames: [...new Set(hostnames)].sort(), ports: subset.ports ?? [] };
    })
    .filter((subset) => subset.hostnames.length > 0);
}

/** The kind of mirror that a headless Service needs, or why nobody knows it yet. */
export type Shape = "headless" | "clusterIP" | { readonly why: string };

/**
 * A mirror is headless if any pod, ready or not, has a name (linkerd-behaviour.md 3.1). Without pods nobody can tell: an
 * existing mirror keeps its kind, and a new one waits.
 *
 * @param held pods that are missing from the Endpoints and keep their mirrors
 */
export function headlessShape(
  service: Service,
  endpoints: Endpoints | undefined,
  held: readonly HostSubset[],
  view: LinkView,
): Shape {
  const live = liveMirror(service, view);
  const isLiveHeadless = live !== undefined && isHeadless(live);
  if ((endpoints?.subsets ?? []).length > 0) {
    const isNamed = hostSubsets(endpoints, "ignore").length > 0;
    return isNamed || (isLiveHeadless && held.length > 0) ? "headless" : "clusterIP";
  }
  if (live !== undefined) return isLiveHeadless ? "headless" : "clusterIP";
  const words = `the headless Service ${keyOf(service)} on ${view.link.target}`;
  const unknown = "so it isn't known whether its pods have names and which kind of mirror it needs";
  // Kubernetes writes Endpoints for every Service with a selector, and none for others.
  const { selector = {} } = service.spec;
  const isByHand = endpoints === undefined || Object.keys(selector).length === 0;
  return {
    why: isByHand
      ? `${words} has no Endpoints with addresses, ${unknown}. EndpointSlices are not read: whoever writes its EndpointSlices must write Endpoints of its name too`
      : `${words} has no pods yet, ${unknown}: run again once it has pods`,
  };
}

function liveMirror(service: Service, { link, source }: LinkView): Service | undefined {
  const live = source.services.get(mirrorPlace(keyOf(service), link));
  return live?.metadata.labels?.[label.cluster] === link.target ? live : undefined;
}

export function whyTruncated(
  service: Service,
  endpoints: Endpoints | undefined,
): string | undefined {
  const { "endpoints.kubernetes.io/over-capacity": overCapacity } =
    endpoints?.metadata.annotations ?? {};
  return overCapacity === "truncated"
    ? `the headless Service ${keyOf(service)} has more than 1,000 pods, and its Endpoints list only the first 1,000: split it into several`
    : undefined;
}

export function whyTooManyPods(
  service: Service,
  subsets: readonly HostSubset[],
): string | undefined {
  const pods = subsets.reduce((sum, { hostnames }) => sum + hostnames.length, 0);
  const ports = subsets.reduce((most, subset) => Math.max(most, subset.ports.length), 0);
  for (const [what, number] of Object.entries({ pods, ports }) as ["pods" | "ports", number][])
    if (number > bounds[what].most)
      return `the Endpoints of the headless Service ${keyOf(service)} have ${inDigits(number)} ${what} and those of a mirror at most ${inDigits(bounds[what].most)}: split it into several`;
  return undefined;
}
