import { movedCluster } from "../../kubernetes/identity.ts";
import { linkOf } from "../model/link.ts";
import { type ClusterReadings, snapshotIn } from "../model/observation.ts";
import { type Before, entryOf, type MirrorsArgs } from "../model/state.ts";

/** Everything that the user has to fix before anything may be planned, each in a sentence. Pure. */
export function mistakesIn(
  args: MirrorsArgs,
  before: Pick<Before, "identities">,
  readings: ClusterReadings,
): string[] {
  const unread = [...readings].flatMap(([name, reading]) => {
    if (reading.outcome === "read") return [];
    return reading.outcome === "invalid" || stopsTheRun(args, name) ? [reading.why] : [];
  });
  const moved = movedIn(args, before, readings).get(args.source);
  return moved === undefined ? unread : [...unread, moved];
}

/**
 * The readings, in which a target counts as refused that is not the cluster it was, or that is the source
 * itself: nothing is concluded from what it says, and its links are left as they are. Pure.
 */
export function trusted(
  readings: ClusterReadings,
  args: MirrorsArgs,
  before: Pick<Before, "identities">,
): ClusterReadings {
  const whys = new Map([...movedIn(args, before, readings), ...sameCluster(args, readings)]);
  whys.delete(args.source);
  const refused = [...whys].map(
    ([name, why]) => [name, { outcome: "refused", why } as const] as const,
  );
  return new Map([...readings, ...refused]);
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
 * By name: the sentences for clusters that are not the ones they were. Nothing is ever written or deleted on
 * account of such a cluster.
 */
export function movedIn(
  args: Pick<MirrorsArgs, "clusters">,
  { identities = {} }: Pick<Before, "identities">,
  readings: ClusterReadings,
): ReadonlyMap<string, string> {
  return new Map(
    [...readings.keys()].flatMap((cluster) => {
      const live = snapshotIn(readings, cluster)?.identity;
      if (live === undefined) return [];
      const { context, uid: expected } = entryOf(args, cluster);
      const known = { expected, remembered: identities[cluster] };
      const why = movedCluster({ cluster, context }, live, known);
      return why === undefined ? [] : [[cluster, why] as const];
    }),
  );
}

function sameCluster({ source, links }: MirrorsArgs, readings: ClusterReadings) {
  const own = snapshotIn(readings, source)?.identity;
  if (own === undefined) return [];
  return links
    .filter(({ target }) => snapshotIn(readings, target)?.identity === own)
    .map(
      ({ target }) =>
        [
          target,
          `${source} and ${target} are the same cluster (its kube-system has UID ${own}): fix the context of one end of link ${source}/${target}`,
        ] as const,
    );
}
