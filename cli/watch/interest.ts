import type { GateArgs } from "@linkerd-multicluster/engine/admitting";
import {
  type ClusterAccess,
  objectKey,
  type ObjectKey,
  type ObjectMeta,
} from "@linkerd-multicluster/engine/kubernetes";
import {
  dependsOnEndpoints,
  entryOf,
  federatedName,
  type Inputs,
  label,
  type LabelSelector,
  linkerdNames,
  nameInTarget,
  type Naming,
  routings,
  selects,
} from "@linkerd-multicluster/engine/mirroring";
import { type WatchedKind, watchedKinds } from "./events.ts";

/** The mesh depends on this part of a cluster. */
export interface Interest {
  readonly access: ClusterAccess;
  /** Links with this cluster as target have these selectors; others federate its own Services. */
  readonly selectors: readonly LabelSelector[];
  /** Mirrors of Services that match these depend on their Endpoints too. */
  readonly withEndpoints: readonly LabelSelector[];
  /** The gateways of links with this cluster as target, and the Services whose requests it routes. */
  readonly named: readonly ObjectKey[];
  /** Mirrors of links with this cluster as source have such names. Undefined if it is no source. */
  readonly mirrorsOf?: readonly Naming[];
}

/** Links are only in sources. Pods come and go, and most targets have no mirror that depends on them. */
export function kindsOf({ mirrorsOf, withEndpoints }: Interest): readonly WatchedKind[] {
  const unused = withEndpoints.length > 0 ? ["links"] : ["links", "endpoints"];
  return watchedKinds.filter((kind) => mirrorsOf !== undefined || !unused.includes(kind));
}

/** Finds the interest in each cluster on which mirrors and closed gateways in the state depend. */
export function interests(
  sources: readonly Inputs[],
  gates: readonly GateArgs[] = [],
): ReadonlyMap<string, Interest> {
  const found = new Map<string, Interest>();
  const add = (inputs: Pick<Inputs, "clusters">, name: string, more: Omit<Interest, "access">) => {
    const { uid: _, ...access } = entryOf(inputs, name);
    const before = found.get(name);
    const selectors = distinct([...(before?.selectors ?? []), ...more.selectors]);
    const withEndpoints = distinct([...(before?.withEndpoints ?? []), ...more.withEndpoints]);
    const named = distinct([...(before?.named ?? []), ...more.named]);
    found.set(name, { ...before, ...more, access, selectors, withEndpoints, named });
  };
  for (const inputs of sources) {
    const { links } = inputs;
    const removed = (inputs.removedLinks ?? []).map(({ target }) => ({
      target,
      names: linkerdNames,
    }));
    const mirrorsOf = [...links.map(({ target, names }) => ({ target, names })), ...removed];
    const selectors = links.map((link) => link.federatedServiceSelector);
    const named = [...routings(inputs).keys()];
    const ofSource = { selectors, withEndpoints: [], named };
    add(inputs, inputs.source, { ...ofSource, mirrorsOf: distinct(mirrorsOf) });
    for (const link of links)
      add(inputs, link.target, {
        selectors: [link.selector, link.remoteDiscoverySelector, link.federatedServiceSelector],
        withEndpoints: dependsOnEndpoints(link) ? [link.selector] : [],
        named: link.gateway === false ? [] : [objectKey(link.gateway.namespace, link.gateway.name)],
      });
  }
  for (const gate of gates) {
    const selectors = gate.links.flatMap((link) => [link.selector, link.remoteDiscoverySelector]);
    add(gate, gate.target, { selectors, withEndpoints: [], named: [] });
  }
  return found;
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** A Service that matters to mirrors, and whether its Endpoints matter too. */
export interface InterestIn {
  readonly endpoints: boolean;
}

/**
 * A change of a Service can concern a mirror if the Service is exported, a gateway or a mirror, or has the name of a
 * mirror. A mirror that lost its labels has, and so has a Service that is in the way of a mirror.
 */
export function interestIn(
  { name, namespace, labels = {} }: ObjectMeta,
  { selectors, withEndpoints, named, mirrorsOf }: Interest,
): InterestIn | undefined {
  const isMirror =
    mirrorsOf !== undefined &&
    (labels[label.mirrored] !== undefined ||
      name.endsWith(federatedName("")) ||
      mirrorsOf.some((naming) => nameInTarget(name, naming) !== undefined));
  const isSelected = (some: readonly LabelSelector[]) =>
    some.some((selector) => selects(selector, labels));
  if (isMirror || isSelected(withEndpoints)) return { endpoints: true };
  if (named.includes(objectKey(namespace, name)) || isSelected(selectors))
    return { endpoints: false };
  return undefined;
}
