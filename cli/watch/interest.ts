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
  linkerdNames,
  nameInTarget,
  type Naming,
  selects,
} from "@linkerd-multicluster/engine/mirroring";

/** The mesh depends on this part of a cluster. */
export interface Interest {
  readonly access: ClusterAccess;
  /** Links select exports in targets, and members of federated Services in sources too. */
  readonly selectors: LabelSelector[];
  readonly gateways: ObjectKey[];
  /** Mirrors have such names. Only a source has any. */
  readonly mirrorsOf: Naming[];
  isSource: boolean;
}

/** Finds the interest in each cluster on which mirrors in the state depend. */
export function interests(sources: readonly Inputs[]): ReadonlyMap<string, Interest> {
  const found = new Map<string, Interest>();
  const interestIn = (inputs: Inputs, cluster: string): Interest => {
    const { uid: _, ...access } = entryOf(inputs, cluster);
    const none = { access, selectors: [], gateways: [], mirrorsOf: [], isSource: false };
    const interest = found.get(cluster) ?? none;
    found.set(cluster, interest);
    return interest;
  };
  for (const inputs of sources) {
    const source = interestIn(inputs, inputs.source);
    source.isSource = true;
    for (const { target, names, gateway, ...link } of inputs.links) {
      const { selectors, gateways } = interestIn(inputs, target);
      source.mirrorsOf.push({ target, names });
      source.selectors.push(link.federatedServiceSelector);
      selectors.push(link.selector, link.remoteDiscoverySelector, link.federatedServiceSelector);
      if (gateway !== false) gateways.push(objectKey(gateway.namespace, gateway.name));
    }
    for (const { target } of inputs.removedLinks ?? [])
      source.mirrorsOf.push({ target, names: linkerdNames });
  }
  return found;
}

/**
 * A change of a Service can concern a mirror if the Service is exported, a gateway or a mirror, or has the name of a
 * mirror. A mirror that lost its labels has, and so has a Service that is in the way of a mirror.
 */
export function isOfInterest(
  { name, namespace, labels = {} }: ObjectMeta,
  { selectors, gateways, mirrorsOf, isSource }: Interest,
): boolean {
  if (gateways.includes(objectKey(namespace, name))) return true;
  if (selectors.some((selector) => selects(selector, labels))) return true;
  if (!isSource) return false;
  return (
    labels[label.mirrored] === "true" ||
    name.endsWith(federatedName("")) ||
    mirrorsOf.some((naming) => nameInTarget(name, naming) !== undefined)
  );
}
