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
import { type WatchedKind, watchedKinds } from "./events.ts";

/** The mesh depends on this part of a cluster. */
export interface Interest {
  readonly access: ClusterAccess;
  /** Links with this cluster as target have these selectors; others federate its own Services. */
  readonly selectors: readonly LabelSelector[];
  /** Links with this cluster as target go through these Services. */
  readonly gateways: readonly ObjectKey[];
  /** Mirrors of links with this cluster as source have such names. Undefined if it is no source. */
  readonly mirrorsOf?: readonly Naming[];
}

/** Links are only in sources. */
export function kindsOf({ mirrorsOf }: Interest): readonly WatchedKind[] {
  return watchedKinds.filter((kind) => mirrorsOf !== undefined || kind !== "links");
}

/** Finds the interest in each cluster on which mirrors in the state depend. */
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
    const { links } = inputs;
    const removed = (inputs.removedLinks ?? []).map(({ target }) => ({
      target,
      names: linkerdNames,
    }));
    const mirrorsOf = [...links.map(({ target, names }) => ({ target, names })), ...removed];
    const selectors = links.map((link) => link.federatedServiceSelector);
    add(inputs, inputs.source, { selectors, gateways: [], mirrorsOf: distinct(mirrorsOf) });
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
 * A change of a Service can concern a mirror if the Service is exported, a gateway or a mirror, or has the name of a
 * mirror. A mirror that lost its labels has, and so has a Service that is in the way of a mirror.
 */
export function isOfInterest(
  { name, namespace, labels = {} }: ObjectMeta,
  { selectors, gateways, mirrorsOf }: Interest,
): boolean {
  if (gateways.includes(objectKey(namespace, name))) return true;
  if (selectors.some((selector) => selects(selector, labels))) return true;
  if (mirrorsOf === undefined) return false;
  return (
    labels[label.mirrored] === "true" ||
    name.endsWith(federatedName("")) ||
    mirrorsOf.some((naming) => nameInTarget(name, naming) !== undefined)
  );
}
