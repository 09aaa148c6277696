import type { ObjectKey, Service } from "../../kubernetes/objects/objects.ts";
import type { Decision } from "../model/decision.ts";
import { federated, federatedPart } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { federatedName, label, mirrorName } from "../model/vocabulary.ts";

/**
 * Returns by part the names (`namespace/name`) that lose their last backend in a source: neither a Service of the
 * cluster's own nor a mirror or federated Service remains under such a name. Pure.
 */
export function lastBackends(
  { services }: Pick<ClusterSnapshot, "services">,
  decisions: readonly Decision[],
): ReadonlyMap<string, readonly string[]> {
  const going = decisions.filter(({ verdict }) => verdict === "delete");
  const last = new Map<string, string[]>();
  if (going.length === 0) return last;
  const gone = new Set(going.map(({ key }) => key));
  const left = new Set([
    ...[...services].flatMap(([key, service]) =>
      gone.has(key) ? [] : (nameOf(key, service) ?? []),
    ),
    ...decisions.flatMap(({ verdict, key, part }) =>
      verdict === "create" ? plainName(key, part) : [],
    ),
  ]);
  for (const { key, part } of going) {
    const service = services.get(key);
    const name = service && nameOf(key, service);
    if (name === undefined || left.has(name)) continue;
    left.add(name);
    last.set(part, [...(last.get(part) ?? []), name]);
  }
  return last;
}

/** Returns the name that a Service is a backend of; undefined for the mirror of a single pod. */
function nameOf(key: ObjectKey, service: Service): string | undefined {
  const { labels = {} } = service.metadata;
  if (labels[label.headlessRoot] !== undefined) return undefined;
  if (federated.owns(service)) return plainName(key, federatedPart);
  const cluster = labels[label.mirrored] === "true" ? labels[label.cluster] : undefined;
  return cluster === undefined ? key : plainName(key, cluster);
}

function plainName(key: ObjectKey, part: string): string {
  const suffix = part === federatedPart ? federatedName("") : mirrorName("", part);
  return key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}
