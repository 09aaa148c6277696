import type { Result } from "../../base/result.ts";
import { keyOf, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import { lossOf } from "../../model/loss.ts";
import type { Drain, StillSending } from "../../model/drain.ts";
import { backendsOf, type RouteDecision, type Routes } from "../../model/route.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { local } from "../../model/traffic.ts";
import { label } from "../../model/vocabulary.ts";
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

/**
 * Finds HTTPRoutes that send requests to a drained cluster because the run doesn't change them. What it writes itself has
 * lost the cluster, or says why not.
 */
export function stillSending(
  source: ClusterSnapshot,
  drained: readonly string[],
  routes: Result<Routes>,
  decided: readonly RouteDecision[],
): StillSending {
  if (drained.length === 0) return { own: [], foreign: [] };
  // Routes that may not be read fail the run anyway.
  if ("why" in routes)
    return { own: [], foreign: [], unread: routes.cause === "refused" ? undefined : routes.why };
  const clusterOf = (backend: ObjectKey) => {
    const { labels = {} } = source.services.get(backend)?.metadata ?? {};
    return labels[label.mirrored] === "true" ? labels[label.cluster] : source.cluster;
  };
  const leadsThere = (route: Parameters<typeof backendsOf>[0]) =>
    backendsOf(route, 1).some((backend) => drained.includes(clusterOf(backend) ?? ""));
  const known = new Set(decided.map(({ key }) => key));
  return {
    own: decided.flatMap((each) => {
      const isLeft =
        each.verdict === "handOver" || (each.verdict === "keep" && each.wanted === undefined);
      return isLeft && leadsThere(each.live) ? [each.key] : [];
    }),
    foreign: routes.value.httpRoutes
      .filter((route) => !known.has(keyOf(route)) && leadsThere(route))
      .map(keyOf),
  };
}
