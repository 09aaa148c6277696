import { movedCluster } from "../kubernetes/identity.ts";
import { type Result, valueIn } from "../result.ts";
import type { ClusterReadings } from "./model/observation.ts";
import type { ClusterSnapshot } from "./model/snapshot.ts";
import { type Before, entryOf, type MirrorsArgs } from "./model/state.ts";

/** Returns sentences about everything that the user has to fix before anything may be planned. Pure. */
export function mistakesIn(args: MirrorsArgs, readings: ClusterReadings): string[] {
  return [...readings].flatMap(([name, reading]) => {
    if ("value" in reading) return [];
    return reading.cause === "invalid" || stopsTheRun(args, name) ? [reading.why] : [];
  });
}

/** Whether a link of this cluster has `unreachable: fail`. */
function stopsTheRun({ links }: MirrorsArgs, cluster: string): boolean {
  return links.some(
    ({ source, target, unreachable }) =>
      unreachable === "fail" && [source, target].includes(cluster),
  );
}

/**
 * Returns the readings with untrusted clusters as refused: one that isn't the cluster it was, and a target that is
 * the source itself. Nothing is concluded from what they report, and their links stay as they are. Pure.
 */
export function trusted(
  readings: ClusterReadings,
  args: MirrorsArgs,
  before: Pick<Before, "identities">,
): ClusterReadings {
  const { source } = args;
  return new Map(
    [...readings].map(([name, reading]): [string, Result<ClusterSnapshot>] => {
      const same = name === source ? undefined : sameAsSource(name, source, readings);
      const why = same ?? movedTo(name, args, before, readings);
      if (why === undefined) return [name, reading];
      return [name, { why, cause: "refused" }];
    }),
  );
}

/** The sentence for a cluster that isn't the one it was, because of which nothing is written or deleted. */
function movedTo(
  cluster: string,
  args: MirrorsArgs,
  { identities = {} }: Pick<Before, "identities">,
  readings: ClusterReadings,
): string | undefined {
  const live = valueIn(readings.get(cluster))?.identity;
  if (live === undefined) return undefined;
  const { context, uid: expected } = entryOf(args, cluster);
  return movedCluster({ cluster, context }, live, { expected, remembered: identities[cluster] });
}

function sameAsSource(
  target: string,
  source: string,
  readings: ClusterReadings,
): string | undefined {
  const own = valueIn(readings.get(source))?.identity;
  return own === undefined || valueIn(readings.get(target))?.identity !== own
    ? undefined
    : `${source} and ${target} are the same cluster (its kube-system has UID ${own}): fix the context of one end of link ${source}/${target}`;
}
