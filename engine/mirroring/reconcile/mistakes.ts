import { movedCluster } from "../../kubernetes/identity.ts";
import { linkOf } from "../model/link-settings.ts";
import { type ClusterReadings, snapshotIn } from "./observation.ts";
import { type Before, entryOf, type MirrorsArgs } from "./state.ts";

/** Everything that the user has to fix before anything may be planned, each in a sentence. Pure. */
export function mistakesIn(
  args: MirrorsArgs,
  before: Pick<Before, "identities">,
  readings: ClusterReadings,
): string[] {
  const unread = [...readings].flatMap(([name, reading]) => {
    if (reading.outcome === "read") return [];
    return reading.outcome === "mistaken" || stopsTheRun(args, name) ? [reading.why] : [];
  });
  return [...unread, ...movedClusters(args, before, readings), ...sameCluster(args, readings)];
}

/** Whether a link says `unreachable: fail` of one of its ends. */
function stopsTheRun({ links }: MirrorsArgs, cluster: string): boolean {
  return links
    .map(linkOf)
    .some(
      ({ source, target, unreachable }) =>
        unreachable === "fail" && [source, target].includes(cluster),
    );
}

/**
 * Clusters that are not the ones they were, each in a sentence: nothing is ever written or deleted
 * on account of such a cluster.
 */
export function movedClusters(
  args: Pick<MirrorsArgs, "clusters">,
  { identities = {} }: Pick<Before, "identities">,
  readings: ClusterReadings,
): string[] {
  return [...readings.keys()].flatMap((cluster) => {
    const live = snapshotIn(readings, cluster)?.identity;
    if (live === undefined) return [];
    const { context, uid: expected } = entryOf(args, cluster);
    return (
      movedCluster({ cluster, context }, live, { expected, remembered: identities[cluster] }) ?? []
    );
  });
}

function sameCluster({ source, links }: MirrorsArgs, readings: ClusterReadings): string[] {
  const own = snapshotIn(readings, source)?.identity;
  if (own === undefined) return [];
  return links
    .filter(({ target }) => snapshotIn(readings, target)?.identity === own)
    .map(
      ({ target }) =>
        `${source} and ${target} are the same cluster (its kube-system has UID ${own}): fix the context of one end of link ${source}/${target}`,
    );
}
