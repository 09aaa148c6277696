import { valueIn } from "../../base/result.ts";
import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { readyPods } from "../../model/headless.ts";
import { dependsOnEndpoints } from "../../model/link.ts";
import type { LinkObservation } from "../../model/observation.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";

/** Counts the ready pods of a Service in a cluster; undefined if nobody knows. */
export type ReadyIn = (cluster: string, service: ObjectKey) => number | undefined;

/** Finds pods in what a run reads anyway: the source's Endpoints, and a target's if mirrors of its link depend on them. */
export function readyIn(source: ClusterSnapshot, links: readonly LinkObservation[]): ReadyIn {
  const endpoints = new Map([
    [source.cluster, source.endpoints],
    ...links.flatMap(({ link, target }) => {
      const read = dependsOnEndpoints(link) ? valueIn(target)?.snapshot : undefined;
      return read === undefined ? [] : [[link.target, read.endpoints] as const];
    }),
  ]);
  return (cluster, service) => readyPods(endpoints.get(cluster)?.get(service));
}
