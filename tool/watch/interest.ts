import {
  type ClusterAccess,
  objectKey,
  type ObjectKey,
  type ObjectMeta,
} from "@linkerd-multicluster/engine/kubernetes";
import {
  entryOf,
  federatedName,
  type Inputs,
  label,
  type LabelSelector,
  linkOf,
  mirrorName,
  selects,
} from "@linkerd-multicluster/engine/mirroring";

/** The part of a cluster that the mesh depends on. */
export interface Interest {
  readonly access: ClusterAccess;
  /** Those of the links of which the cluster is the target, and by which its own Services federate. */
  readonly selectors: readonly LabelSelector[];
  /** Gateway Services of these links. */
  readonly gateways: readonly ObjectKey[];
  /** Targets of the links of which the cluster is the source; undefined: it is none. */
  readonly mirrorsOf?: readonly string[];
}

/** The interest in each cluster that the mirrors in the state depend on. */
export function interests(sources: readonly Inputs[]): ReadonlyMap<string, Interest> {
  const found = new Map<string, Interest>();
  const add = (inputs: Inputs, name: string, more: Omit<Interest, "access">) => {
    const { uid: _, ...access } = entryOf(inputs, name);
    const before = found.get(name);
    const selectors = distinct([...(before?.selectors ?? []), ...more.selectors]);
    const gateways = distinct([...(before?.gateways ?? []), ...more.gateways]);
    found.set(name, { ...before, ...more, access, selectors, gateways });
  };
  for (const inputs of sources) {
    const links = inputs.links.map(linkOf);
    const targets = [...links, ...(inputs.removedLinks ?? [])].map(({ target }) => target);
    const selectors = links.map((link) => link.federatedServiceSelector);
    add(inputs, inputs.source, { selectors, gateways: [], mirrorsOf: distinct(targets).sort() });
    for (const { target, gateway, ...link } of links)
      add(inputs, target, {
        selectors: [link.selector, link.remoteDiscoverySelector, link.federatedServiceSelector],
        gateways: gateway === false ? [] : [objectKey(gateway.namespace, gateway.name)],
      });
  }
  return found;
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/**
 * Whether a change of a Service can concern a mirror: it is exported, a gateway or a mirror, or has the
 * name of one, as something that is in the way of a mirror has, and a mirror that lost its labels.
 */
export function isOfInterest(
  { name, namespace, labels = {} }: ObjectMeta,
  { selectors, gateways, mirrorsOf }: Interest,
): boolean {
  if (gateways.includes(objectKey(namespace, name))) return true;
  if (selectors.some((selector) => selects(selector, labels))) return true;
  if (mirrorsOf === undefined) return false;
  const suffixes = [federatedName(""), ...mirrorsOf.map((target) => mirrorName("", target))];
  return labels[label.mirrored] === "true" || suffixes.some((suffix) => name.endsWith(suffix));
}
