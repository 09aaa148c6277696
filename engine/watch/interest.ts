import { isDeepStrictEqual } from "node:util";
import type { ClusterAccess } from "../kubernetes/kubeconfig.ts";
import { type ObjectKey, type ObjectMeta, objectKey } from "../kubernetes/objects.ts";
import { selects } from "../mirroring/model/selector.ts";
import type { LabelSelector } from "../mirroring/model/link.ts";
import { linkOf } from "../mirroring/model/link-settings.ts";
import { federatedName, label, mirrorName } from "../mirroring/model/vocabulary.ts";
import { entryOf, type Inputs } from "../mirroring/model/state.ts";

/** What in one cluster the mesh depends on. */
export interface Interest {
  readonly access: ClusterAccess;
  /** Of the links of which the cluster is the target, and of those by which its own Services federate. */
  readonly selectors: readonly LabelSelector[];
  /** Their gateway Services. */
  readonly gateways: readonly ObjectKey[];
  /** Targets of the links of which it is the source; undefined: it is none. */
  readonly mirrorsOf?: readonly string[];
}

/** By cluster, what the mirrors depend on that the stack has in its state. */
export function interests(sources: readonly Inputs[]): ReadonlyMap<string, Interest> {
  const found = new Map<string, Interest>();
  const add = (name: string, access: ClusterAccess, more: Partial<Interest>) => {
    const { selectors = [], gateways = [], mirrorsOf } = found.get(name) ?? {};
    const targets = more.mirrorsOf ?? mirrorsOf;
    found.set(name, {
      access,
      selectors: distinct([...selectors, ...(more.selectors ?? [])]),
      gateways: distinct([...gateways, ...(more.gateways ?? [])]),
      ...(targets !== undefined && { mirrorsOf: targets }),
    });
  };
  for (const inputs of sources) {
    const removed = inputs.removedLinks ?? [];
    const targets = [...inputs.links, ...removed].map(({ target }) => target);
    const links = inputs.links.map(linkOf);
    add(inputs.source, accessOf(inputs, inputs.source), {
      selectors: links.map((link) => link.federatedServiceSelector),
      mirrorsOf: distinct(targets).sort(),
    });
    for (const link of links) {
      const { gateway, selector, remoteDiscoverySelector, federatedServiceSelector } = link;
      add(link.target, accessOf(inputs, link.target), {
        selectors: [selector, remoteDiscoverySelector, federatedServiceSelector],
        gateways: gateway === false ? [] : [objectKey(gateway.namespace, gateway.name)],
      });
    }
  }
  return found;
}

function accessOf(inputs: Inputs, name: string): ClusterAccess {
  const { uid: _, ...access } = entryOf(inputs, name);
  return access;
}

function distinct<T>(values: readonly T[]): T[] {
  return values.filter(
    (value, index) => values.findIndex((other) => isDeepStrictEqual(other, value)) === index,
  );
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
  return (
    labels[label.mirrored] === "true" ||
    name.endsWith(federatedName("")) ||
    mirrorsOf.some((target) => name.endsWith(mirrorName("", target)))
  );
}
