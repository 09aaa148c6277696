import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { lossOf } from "../../model/loss.ts";
import type { Drain } from "../../model/drain.ts";
import { local } from "../../model/traffic.ts";
import type { FoundLeg, RoutesView } from "./backends.ts";

/**
 * A drain takes a cluster out of a route unless nothing else would serve the Service. It doesn't come back when the others
 * lose their pods later, because the cluster may have none by then.
 *
 * @param named Services to which the live routes send the requests
 */
export function withoutDrained(
  { source, drained, readyIn }: Pick<RoutesView, "source" | "drained" | "readyIn">,
  key: ObjectKey,
  legs: readonly FoundLeg[],
  named: readonly ObjectKey[],
): { readonly legs: readonly FoundLeg[]; readonly drain?: Drain } {
  const nameOf = (cluster: string) => (cluster === local ? source.cluster : cluster);
  const isDrained = ({ cluster }: FoundLeg) => drained.has(nameOf(cluster));
  const staying = { legs: legs.filter((leg) => !isDrained(leg)) };
  const isServing = ({ cluster, backend }: FoundLeg) =>
    named.length === 0 ? cluster === local : backend !== undefined && named.includes(backend.key);
  if (!legs.some((leg) => isDrained(leg) && isServing(leg))) return staying;
  const serving = legs.filter(({ backend, weight }) => backend !== undefined && weight !== 0);
  const loss = lossOf(
    serving.map(({ cluster }) => nameOf(cluster)),
    (cluster) => drained.has(cluster),
    (cluster) => readyIn(cluster, key),
  );
  if (loss === undefined) return staying;
  return { ...(loss.state === "unavailable" ? { legs } : staying), drain: { key, ...loss } };
}
