import { cancelledWords } from "../../kubernetes/client/deadline.ts";
import { apply } from "../apply/apply.ts";
import { sentencesOf } from "../apply/failures.ts";
import { confirm, release } from "../apply/marks.ts";
import { writeStatuses } from "../apply/statuses.ts";
import { inWritingTime } from "../apply/writing-time.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { managerOf } from "../model/owner.ts";
import type { Clusters } from "../observe/clusters.ts";
import { type Decision, isSent, markedBy, namespacesToCreate } from "../decide/decision.ts";
import type { LinkStatuses } from "../report/status.ts";
import { entryOf, type Outputs, stacksOf } from "../model/state.ts";

/**
 * Carries out what was decided about a source: the mirrors, the marks on them, and the status of Links.
 *
 * @returns sentences about what could not be done; the rest is
 */
export async function writeDecided(
  clusters: Clusters,
  state: Outputs,
  source: ClusterSnapshot,
  decisions: readonly Decision[],
  statuses: LinkStatuses,
  say: (line: string) => void,
): Promise<readonly string[]> {
  const access = entryOf(state, state.source);
  const client = await clusters.client(state.source, access);
  const kubernetes = inWritingTime(client, decisions.filter(isSent).length, clusters.time);
  const destination = {
    ...{ kubernetes, source: state.source, time: clusters.time },
    fieldManager: managerOf(state.stack),
  };
  clusters.outdate(access);
  const namespaces = namespacesToCreate(decisions, source);
  const failures = await apply(destination, decisions, namespaces);
  const marks = [
    ...(await confirm(destination, markedBy(decisions, "confirm"))),
    ...(await release(destination, markedBy(decisions, "release"), stacksOf(state))),
  ];
  (await writeStatuses(kubernetes, statuses, failures)).forEach(say);
  return sentencesOf([...failures, ...marks]);
}

/**
 * Ends a method that has not begun to write. What could no longer be read must not pass for a cluster
 * that is away.
 *
 * @throws Error where the run was cancelled
 */
export function endIfCancelled({ isCancelled }: Pick<Clusters, "isCancelled">, source: string) {
  if (isCancelled)
    throw new Error(
      `${cancelledWords} before anything was written to ${source}; the next run begins there again`,
    );
}
