import { bounds } from "../../../kubernetes/objects/bounds.ts";
import { isHeadless, namespaceOf, type ServicePort } from "../../../kubernetes/objects/objects.ts";
import { inDigits, listed } from "../../../base/message.ts";
import { type Decision, isSkip, isWanted, type Note } from "../../../model/decision.ts";
import { federatedPart } from "../../../model/owner.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import { itemsOf, type Limit } from "./limits.ts";
import type { Size } from "./mirror-sizes.ts";

/**
 * Every Service of a namespace is in the environment of its pods, and Linux starts no program whose environment is too
 * large. Pods with `enableServiceLinks: false` have no such variables, and a namespace with such pods alone has no limit
 * (`serviceLinks` of the source).
 */
const { most } = bounds.environment;

const pointer = 8;

/**
 * Counts the bytes of the environment variables that the kubelet generates for a Service with a ClusterIP, in each pod
 * of its namespace: name, `=`, value, a zero byte and a pointer, which Linux counts too (Kubernetes, pkg/kubelet/envvars).
 */
function environmentIn({ services }: ClusterSnapshot): Size {
  // A ClusterIP has the family of the API server's own, and counts as the longest address.
  const { clusterIP = ":" } = services.get("default/kubernetes")?.spec ?? {};
  const host = clusterIP.includes(":")
    ? "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]"
    : "255.255.255.255";
  const bytes = (service: string, [first, ...others]: readonly ServicePort[]) => {
    if (first === undefined) return 0;
    const ports = [first, ...others].flatMap(({ name = "", port, protocol = "TCP" }) => {
      const prefix = `_PORT_${port}_${protocol}`;
      return [
        ...(name === "" ? [] : [`_SERVICE_PORT_${name}${port}`]),
        `${prefix}${protocol}://${host}:${port}`,
        `${prefix}_PROTO${protocol}`,
        `${prefix}_PORT${port}`,
        `${prefix}_ADDR${host}`,
      ];
    });
    const all = [
      `_SERVICE_HOST${host}`,
      `_SERVICE_PORT${first.port}`,
      `_PORT${first.protocol ?? "TCP"}://${host}:${first.port}`,
      ...ports,
    ];
    return all.reduce((sum, { length }) => sum + service.length + length + 2 + pointer, 0);
  };
  return {
    live: ({ service }) =>
      service === undefined || isHeadless(service) || service.spec.type === "ExternalName"
        ? 0
        : bytes(service.metadata.name, service.spec.ports ?? []),
    wanted: ({ kind, name, ports }) => (kind === "headless" ? 0 : bytes(name, ports)),
  };
}

/** Services that the run doesn't touch count too. */
function byNamespace(decided: ReturnType<typeof itemsOf>, { services }: ClusterSnapshot) {
  const known = new Set(decided.map(({ key }) => key));
  const others = [...services]
    .filter(([key]) => !known.has(key))
    .map(([key, service]) => ({ one: key, key, part: "", live: { service }, wanted: undefined }));
  return Map.groupBy([...decided, ...others], ({ key }) => namespaceOf(key));
}

export function environmentLimits(
  decided: ReturnType<typeof itemsOf>,
  source: ClusterSnapshot,
): Limit<string>[] {
  const { cluster, serviceLinks } = source;
  const size = environmentIn(source);
  return [...byNamespace(decided, source)]
    .filter(([, items]) => items.some(({ wanted }) => wanted !== undefined))
    .filter(([namespace]) => {
      const pods = serviceLinks?.get(namespace);
      return pods === undefined || (pods !== "unknown" && pods.length > 0);
    })
    .map(([namespace, items]) => ({
      items,
      most,
      size,
      sentence: `the Services in namespace ${namespace} on ${cluster} would add more than ${inDigits(most)} bytes to the environment of each pod there, and too large an environment keeps pods from starting: export fewer Services of the namespace, or Services with fewer ports, or ${advice(source)}`,
    }));
}

/** Returns how many bytes Services add in each namespace with mirrors where it is more than half of the limit. */
export function crowdedNamespaces(
  decisions: readonly Decision[],
  source: ClusterSnapshot,
): ReadonlyMap<string, number> {
  const isOurs = (each: Decision) =>
    isWanted(each) || (isSkip(each) && each.reason === "TooManyMirrors");
  const mirrored = new Set(decisions.filter(isOurs).map(({ key }) => namespaceOf(key)));
  const size = environmentIn(source);
  const found = [...byNamespace(itemsOf(decisions), source)]
    .filter(([namespace]) => mirrored.has(namespace))
    .map(
      ([namespace, items]) =>
        [
          namespace,
          items.reduce(
            (sum, { live, wanted }) =>
              sum + (wanted === undefined ? size.live(live) : size.wanted(wanted)),
            0,
          ),
        ] as const,
    );
  return new Map(found.filter(([, bytes]) => bytes > most / 2));
}

export function environmentNotes(decisions: readonly Decision[], source: ClusterSnapshot): Note[] {
  const limit = `and beyond ${inDigits(most)} bytes mirrors are skipped`;
  return [...crowdedNamespaces(decisions, source)].flatMap(([namespace, bytes]): Note[] => {
    const pods = source.serviceLinks?.get(namespace) ?? "unasked";
    if (pods.length === 0) return [];
    const why =
      pods === "unasked"
        ? `${limit}: ${advice(source)}`
        : pods === "unknown"
          ? "and it isn't known whether all of them set enableServiceLinks: false, because the runner may not list pods there: grant that (docs/reference/access.md), or make sure of it"
          : `${limit} despite serviceLinksDisabled on cluster ${source.cluster}, because not all pods there set enableServiceLinks: false: set it in ${listed(pods, 3)}`;
    const full = `the Services in namespace ${namespace} add ${inDigits(bytes)} bytes to the environment of each pod there`;
    return [[federatedPart, `${full}, ${why}`]];
  });
}

function advice({ cluster }: ClusterSnapshot): string {
  return `spread mirrors over more namespaces with mirrorNamespaces, or set enableServiceLinks: false in all pods there and serviceLinksDisabled on cluster ${cluster}`;
}
