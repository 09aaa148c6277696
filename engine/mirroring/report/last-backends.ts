import type { ObjectKey, Service } from "../../kubernetes/objects/objects.ts";
import type { Decision } from "../model/decision.ts";
import { liveKind } from "../model/live-mirrors.ts";
import { federated } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { federatedName, label } from "../model/vocabulary.ts";
import { originOf } from "./describe.ts";

/**
 * Returns by part the names (`namespace/name`) under which neither a Service of the source's own nor a mirror or
 * federated Service remains.
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
    ...decisions.flatMap((each) => (each.verdict === "create" ? each.wanted.origin : [])),
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

/** Returns undefined for the mirror of a single pod. */
function nameOf(key: ObjectKey, service: Service): string | undefined {
  const { labels = {} } = service.metadata;
  if (labels[label.headlessRoot] !== undefined) return undefined;
  if (federated.owns(service)) return key.slice(0, -federatedName("").length);
  if (labels[label.mirrored] !== "true") return key;
  return originOf(liveKind({ service }), key, { service }).service ?? key;
}
